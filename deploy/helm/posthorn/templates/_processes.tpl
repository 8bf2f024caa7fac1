{{/* What the chart knows about each process: its port, what it sets, and how long it may take to end */}}
{{- define "posthorn.processes" -}}
api:
  port: { name: http, number: 3000 }
  # As docs/operating/install.md says: 15 seconds more than the delay
  grace: {{ add .Values.api.shutdownDelaySeconds 15 }}
  env:
    # Keeps /readyz and /metrics from the public
    API_METRICS_PORT: {{ include "posthorn.metricsPort" . }}
    SHUTDOWN_DELAY_SECONDS: {{ .Values.api.shutdownDelaySeconds }}
    {{- if and .Values.api.ingress.enabled (not (hasKey .Values.config "TRUSTED_PROXY_HOPS")) }}
    TRUSTED_PROXY_HOPS: 1
    {{- end }}
worker:
  # It takes at most 28 seconds to finish the emails that it has
  grace: 35
  env:
    METRICS_PORT: {{ include "posthorn.metricsPort" . }}
inbound:
  port: { name: smtp, number: 2525 }
  # It closes its port at once, so new connections must go elsewhere before that
  drain: 5
  grace: 30
  env:
    INBOUND_METRICS_PORT: {{ include "posthorn.metricsPort" . }}
    {{- if .Values.inbound.tlsSecret }}
    INBOUND_TLS_CERT_FILE: /run/secrets/tls/tls.crt
    INBOUND_TLS_KEY_FILE: /run/secrets/tls/tls.key
    {{- end }}
tracking:
  port: { name: http, number: 3001 }
  drain: 5
  grace: 30
  env:
    TRACKING_METRICS_PORT: {{ include "posthorn.metricsPort" . }}
{{- end }}

{{/* Where every process serves /healthz, /readyz and /metrics */}}
{{- define "posthorn.metricsPort" -}}
9464
{{- end }}
