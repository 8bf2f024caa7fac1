import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { CHART, getEnvironment, listPods, type Manifest, renderChart } from './helm/chart.js';
import { checkTypes } from './helm/check-types.js';
import { findHelm } from './helm/find-helm.js';
import { readDockerfile } from './read-dockerfile.js';

const ROOT = join(import.meta.dirname, '../..');
const settings = Object.keys(readEnv({}));
const valueFiles = readdirSync(join(CHART, 'ci')).map((name) => join(CHART, 'ci', name));
const [full, minimal] = valueFiles as [string, string];
const APPS = ['api', 'worker', 'inbound', 'tracking'] as const;

let helm: string | null;
const rendered = new Map<string, Manifest[]>();
beforeAll(async () => {
  helm = await findHelm();
  if (helm === null) return;
  for (const file of valueFiles) rendered.set(file, await renderChart(helm, '--values', file));
}, 300_000);

/** Helm is available for Linux on x64 only. */
const helmTest = process.platform === 'linux' && process.arch === 'x64' ? test : test.skip;

const getManifests = (file: string) => rendered.get(file) ?? [];
const everything = () => [...rendered.values()].flat();
const named = (kind: string, name: string, file = full) => {
  const found = getManifests(file).find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
};
const getPod = (name: string, file = full) => {
  const found = listPods(getManifests(file)).find((each) => each.name === `mail-posthorn-${name}`);
  if (!found) throw new Error(`There is no pod for ${name}`);
  return found;
};

const refusal = async (...options: string[]): Promise<string> => {
  const error = await renderChart(helm ?? '', ...options).catch((caught) => caught);
  return String(error.stderr ?? 'It was rendered.');
};

describe('the Helm chart', () => {
  helmTest('passes "helm lint --strict" with every file of values', async () => {
    for (const file of valueFiles) await promisify(execFile)(helm ?? '', ['lint', '--strict', CHART, '--values', file]);
    expect(rendered.size).toBe(3);
  });

  helmTest('renders only fields that the Kubernetes API has', async () => {
    expect(everything().length).toBeGreaterThan(30);
    expect(await checkTypes(everything())).toBe('');
    const wrong = structuredClone(named('Deployment', 'mail-posthorn-api'));
    wrong.spec.template.spec.containers[0].readinesProbe = {};
    expect(await checkTypes([wrong])).toContain("\"readinesProbe\"' does not exist in type 'Container'");
  });

  helmTest('labels everything, and selects the pods of each process and no others', () => {
    for (const { kind, metadata } of everything()) {
      expect([kind, metadata.labels]).toEqual([
        kind,
        expect.objectContaining({
          'app.kubernetes.io/name': 'posthorn',
          'app.kubernetes.io/instance': 'mail',
          'app.kubernetes.io/component': expect.any(String),
          'app.kubernetes.io/managed-by': 'Helm',
        }),
      ]);
    }
    const labels = getManifests(full)
      .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
      .map(({ spec }) => spec.template.metadata.labels);
    const selects = (selector: Record<string, string>) =>
      labels.filter((each) => Object.entries(selector).every(([name, value]) => each[name] === value)).length;
    for (const app of APPS) {
      const name = `mail-posthorn-${app}`;
      expect(selects(named('Deployment', name).spec.selector.matchLabels)).toBe(1);
      if (app !== 'worker') expect(selects(named('Service', name).spec.selector)).toBe(1);
      expect(selects(named('PodDisruptionBudget', name).spec.selector.matchLabels)).toBe(1);
      expect(selects(named('NetworkPolicy', name).spec.podSelector.matchLabels)).toBe(1);
    }
  });

  helmTest('confines every container', () => {
    for (const { pod, container } of listPods(everything())) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  });

  helmTest('gives every process an environment that it accepts, with the secrets as files', () => {
    for (const { name, pod, container } of listPods(everything())) {
      const environment = getEnvironment(container);
      const files = (pod.volumes ?? []).flatMap(({ secret }) => (secret?.items ?? []).map(({ path }) => path));
      const secretFiles = Object.entries(environment).filter(([, value]) =>
        value?.startsWith('/run/secrets/posthorn/'),
      );
      for (const variable of Object.keys(environment))
        expect([
          name,
          variable,
          settings.includes(variable.replace(/_FILE$/, '')) || settings.includes(variable),
        ]).toEqual([name, variable, true]);
      expect(secretFiles.map(([, value]) => value?.split('/').at(-1)).sort()).toEqual(files.sort());
      expect(files.includes('smtp-url')).toBe(name.endsWith('-worker'));
    }
  });

  helmTest.each(APPS)('starts the %s with settings that it can read', (app) => {
    const { container } = getPod(app);
    const values: NodeJS.ProcessEnv = {
      DATABASE_URL: 'postgres://host/posthorn',
      REDIS_URL: 'redis://host',
      SECRET_KEY: 'x'.repeat(32),
      SMTP_URL: 'smtp://host',
      ...readDockerfile().getEnvironment(app),
    };
    for (const [name, value] of Object.entries(getEnvironment(container)))
      if (!value?.startsWith('/run/secrets/posthorn/')) values[name] = value;
    const config = toConfig(readEnv(values), app);
    expect([config.production, config.host, config.emailRetentionDays]).toEqual([true, '0.0.0.0', 90]);
    if (app === 'api')
      expect([config.shutdownDelaySeconds, config.trustedProxyHops, config.maxBodyBytes]).toEqual([20, 1, 20_000_000]);
    if (app === 'inbound') expect(config.inboundTls).toMatchObject({ certFile: '/run/secrets/tls/tls.crt' });
    const ports = {
      api: [config.port, config.apiMetricsPort],
      worker: [config.metricsPort],
      inbound: [config.inboundPort, config.inboundMetricsPort],
      tracking: [config.trackingPort, config.trackingMetricsPort],
    };
    expect(container.ports?.map(({ containerPort }) => containerPort)).toEqual(ports[app]);
  });

  helmTest('probes paths that the processes serve, and restarts none because Postgres is down', () => {
    const server = readFileSync(join(ROOT, 'packages/platform/src/processes/metrics-port.ts'), 'utf8');
    for (const app of APPS) {
      const { container } = getPod(app);
      const { livenessProbe, readinessProbe, startupProbe } = container;
      const gets = [livenessProbe, readinessProbe, startupProbe].map((probe) => probe?.httpGet);
      expect(gets.map((get) => get?.path)).toEqual(['/healthz', '/readyz', '/healthz']);
      for (const get of gets) expect([get?.port, server.includes(`'${get?.path}'`)]).toEqual(['metrics', true]);
    }
  });

  helmTest('publishes no port for metrics', () => {
    const ports = getManifests(full)
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata, spec }) => [
        metadata.name,
        spec.clusterIP ?? spec.type,
        spec.ports[0].targetPort,
        spec.ports.length,
      ]);
    expect(ports.sort()).toEqual([
      ['mail-posthorn-api', 'ClusterIP', 'http', 1],
      ['mail-posthorn-inbound', 'LoadBalancer', 'smtp', 1],
      ['mail-posthorn-metrics', 'None', 'metrics', 1],
      ['mail-posthorn-tracking', 'ClusterIP', 'http', 1],
    ]);
    for (const app of APPS) {
      const { ingress } = named('NetworkPolicy', `mail-posthorn-${app}`).spec;
      for (const { ports: allowed, from } of ingress)
        expect([allowed[0].port === 'metrics', from !== undefined]).toEqual(
          Array(2).fill(allowed[0].port === 'metrics'),
        );
    }
  });

  helmTest('gives every process time to end', () => {
    const grace = (app: string, file = full) => getPod(app, file).pod.terminationGracePeriodSeconds;
    expect([grace('api'), grace('api', minimal)]).toEqual([20 + 15, 10 + 15]);
    expect(grace('worker')).toBeGreaterThan(28);
    for (const app of ['inbound', 'tracking']) {
      expect(getPod(app).container.lifecycle?.preStop?.exec?.command).toEqual(['sleep', '5']);
      expect(grace(app)).toBeGreaterThanOrEqual(5 + 15);
    }
  });

  helmTest('migrates in a Job before an installation or upgrade, and not in the processes', () => {
    const { metadata } = named('Job', 'mail-posthorn-migration');
    expect(metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    const { container } = getPod('migration');
    expect(container.command).toEqual(['node', 'apps/cli/bin/posthorn.js', 'db', 'migrate']);
    expect(existsSync(join(ROOT, container.command?.[1] ?? ''))).toBe(true);
    // It can go past a PgBouncer.
    expect(getEnvironment(container).DATABASE_URL_FILE).toBe('/run/secrets/posthorn/database-url-direct');
    expect(getEnvironment(getPod('api').container).DATABASE_URL_FILE).toBe('/run/secrets/posthorn/database-url');
    expect(getEnvironment(getPod('migration', minimal).container).DATABASE_URL_FILE).toMatch(/database-url$/);
    for (const app of APPS) expect(getEnvironment(getPod(app).container).MIGRATE_ON_START).toBe('off');
  });

  helmTest('scales by CPU, or by the backlog where a metrics adapter offers it', () => {
    const metrics = (app: string, file: string) =>
      named('HorizontalPodAutoscaler', `mail-posthorn-${app}`, file).spec.metrics;
    const cpu = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
    };
    expect([metrics('api', full), metrics('worker', minimal)]).toEqual([[cpu], [cpu]]);
    expect(metrics('worker', full)).toMatchObject([
      {
        type: 'External',
        external: {
          metric: { name: 'posthorn_emails', selector: { matchLabels: { status: 'queued' } } },
          target: { type: 'AverageValue', averageValue: '2000' },
        },
      },
    ]);
    expect(readFileSync(join(ROOT, 'docs/operating/watching.md'), 'utf8')).toContain('`posthorn_emails`');
    expect(named('Deployment', 'mail-posthorn-worker').spec.replicas).toBeUndefined();
  });

  helmTest('leaves out what is turned off', () => {
    const kinds = (file: string) => [...new Set(getManifests(file).map(({ kind }) => kind))].sort();
    expect(listPods(getManifests(minimal)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mail-posthorn-api', 'mail-posthorn-worker', 'mail-posthorn-migration']),
    );
    expect(listPods(getManifests(minimal))).toHaveLength(3);
    expect(kinds(minimal)).toEqual(['Deployment', 'HorizontalPodAutoscaler', 'Job', 'PodDisruptionBudget', 'Service']);
    expect(kinds(valueFiles[2] ?? '')).toEqual(['Deployment', 'Service']);
    expect(named('Deployment', 'mail-posthorn-worker', valueFiles[2]).spec.replicas).toBe(5);
    expect(kinds(full)).toEqual(expect.arrayContaining(['Ingress', 'NetworkPolicy', 'ServiceMonitor']));
    const { spec } = named('ServiceMonitor', 'mail-posthorn');
    expect(spec.endpoints).toEqual([{ port: 'metrics', path: '/metrics', interval: '30s' }]);
    expect(named('Service', 'mail-posthorn-metrics').metadata.labels).toMatchObject(spec.selector.matchLabels);
  });

  test('knows every variable that may contain a secret', () => {
    const sentence = /add `_FILE` to the name of (.+?), and set/.exec(
      readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8'),
    );
    const secrets = [...(sentence?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(secrets).toContain('SECRET_KEY');
    const { properties } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
    expect(Object.keys(properties.secretKeys.properties).sort()).toEqual(secrets.sort());
    for (const { propertyNames } of [properties.config, properties.api.properties.env])
      expect(propertyNames.not.enum.toSorted()).toEqual(secrets);
  });

  helmTest('refuses secrets among the plain settings, misspelled values and missing ones', async () => {
    expect(await refusal('--values', minimal, '--set', 'config.SECRET_KEY=x')).toContain(
      "invalid propertyName 'SECRET_KEY'",
    );
    expect(await refusal('--values', minimal, '--set', 'worker.replica=3')).toContain(
      "additional properties 'replica' not allowed",
    );
    const missing = await refusal();
    for (const path of ['/existingSecret', '/config/PUBLIC_URL', '/config/PLATFORM_SENDER_DOMAIN'])
      expect(missing).toContain(path);
    expect(await refusal('--values', full, '--set', 'api.ingress.host=')).toContain('api.ingress.host is missing');
  });
});
