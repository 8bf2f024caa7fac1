{{- define "posthorn.fullname" -}}
{{- $name := contains "posthorn" .Release.Name | ternary .Release.Name (printf "%s-posthorn" .Release.Name) }}
{{- $name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* The labels by which pods are found. Argument: {root, name} */}}
{{- define "posthorn.selectorLabels" -}}
app.kubernetes.io/name: posthorn
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "posthorn.labels" -}}
{{ include "posthorn.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: posthorn
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "posthorn.image" -}}
{{ .root.Values.image.prefix }}-{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* The secrets of a process, as JSON: keys by variables. Only the worker sends mail, and the
     migration may have its own way to Postgres (databaseUrlKey) */}}
{{- define "posthorn.secretKeys" -}}
{{- $keys := .root.Values.secretKeys }}
{{- if ne .name "worker" }}{{ $keys = omit $keys "SMTP_URL" }}{{ end }}
{{- with .databaseUrlKey }}{{ $keys = merge (dict "DATABASE_URL" .) $keys }}{{ end }}
{{- toJson $keys }}
{{- end }}

{{/* Argument: {root, name, own, env}. What the chart itself sets (own) wins over the values of the user */}}
{{- define "posthorn.env" -}}
{{- $env := merge (dict) (.own | default dict) (.env | default dict) .root.Values.config }}
{{- range $variable, $key := fromJson (include "posthorn.secretKeys" .) }}
{{- $_ := set $env (printf "%s_FILE" $variable) (printf "/run/secrets/posthorn/%s" $key) }}
{{- end }}
{{- range $variable, $value := $env }}
- name: {{ $variable }}
  {{- /* Helm reads a number as a float, and would write 20000000 as 2e+07 */}}
  value: {{ kindIs "float64" $value | ternary (int64 $value) $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "posthorn.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "posthorn.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "posthorn.volumeMounts" -}}
- name: secrets
  mountPath: /run/secrets/posthorn
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "posthorn.volumes" -}}
- name: secrets
  secret:
    secretName: {{ required "existingSecret is missing. Set it to the name of the Secret with database-url, redis-url, secret-key and smtp-url." .root.Values.existingSecret }}
    defaultMode: 0440
    items:
      {{- range $variable, $key := fromJson (include "posthorn.secretKeys" .) }}
      - key: {{ $key }}
        path: {{ $key }}
      {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- end }}
