import { type Config, DEVELOPMENT_SECRET, LOG_LEVELS, type ProcessRole, WORKER_ROLES } from './config.js';
import { ConfigError } from './config-error.js';
import { envReader } from './env-reader.js';
import type { Env } from './read-env.js';
import { readTracingSettings } from './tracing-settings.js';

const DEFAULT_RETRY_SCHEDULE = '60,300,900,1800,3600,7200,14400,28800,28800';

/** The limits of emails that retention depends on. A test compares them with those of the domain. */
export const SCHEDULE_DAYS = 30;
export const MAX_AGE_HOURS = 72;

/** Longer than any email can wait. */
const MIN_EMAIL_RETENTION_DAYS = SCHEDULE_DAYS + MAX_AGE_HOURS / 24 + 1;
const MAX_RETENTION_DAYS = 36_500;

const PEM_FILE = 'the path of a PEM file. The certificate and its key are set together';

type Read = ReturnType<typeof envReader<keyof Env>>;

/**
 * @param env what `readEnv` returned
 * @param role the process that will use the configuration. Only the worker needs SMTP_URL; an operator command needs
 *   only the database, and its Redis URL may be empty
 * @throws ConfigError that names every missing or invalid variable and says what to set it to
 */
export function toConfig(env: Env, role: ProcessRole): Config {
  const read = envReader(env);
  const production = env.NODE_ENV === 'production' && role !== 'cli';
  const outsideProduction: Fallback = (fallback) => (production ? null : fallback);
  const config: Config = {
    production,
    ...readConnections(env, read, role),
    ...readHttp(env, read, outsideProduction),
    ...readNames(env, read, outsideProduction),
    ...readSecretKeys(env, read, { role, outsideProduction }),
    webhookAllowedNetworks: read.networks('WEBHOOK_ALLOWED_NETWORKS'),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', { fallback: 60, min: 1 }),
    redisDownMode: read.choice('REDIS_DOWN_MODE', ['accept', 'refuse']),
    signup: read.choice('SIGNUP', ['open', 'closed']),
    ...readRetention(read),
    ...readWorker(read, role),
    ...readInbound(env, read),
    ...readTracking(env, read),
    logLevel: read.choice('LOG_LEVEL', ['info', ...LOG_LEVELS]),
    tracing: readTracingSettings(env, read, `posthorn-${role}`),
    ...readMetricsPorts(env, read),
  };
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

/** The default of a variable that has one outside production only; null in production. */
type Fallback = (value: string) => string | null;

function readConnections(env: Env, read: Read, role: ProcessRole) {
  return {
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    migrateOnStart: read.choice('MIGRATE_ON_START', ['on', 'off']) === 'on',
    databaseReplicaUrl: env.DATABASE_REPLICA_URL === undefined ? null : read.replicaUrl('DATABASE_REPLICA_URL'),
    redisUrl: role === 'cli' && env.REDIS_URL === undefined ? '' : read.redisUrl('REDIS_URL'),
    dnsServers: read.socketAddresses('DNS_SERVERS'),
    blobStore: read.blobStore('BLOB_STORE'),
  };
}

function readHttp(env: Env, read: Read, outsideProduction: Fallback) {
  const port = read.integer('PORT', { fallback: 3000, min: 0, max: 65_535 });
  const publicUrl = read.url('PUBLIC_URL', ['http:', 'https:'], outsideProduction(`http://localhost:${port}`));
  return {
    host: env.HOST ?? '127.0.0.1',
    port,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    trustedProxyHops: read.integer('TRUSTED_PROXY_HOPS', { fallback: 0, min: 0, max: 10 }),
    maxBodyBytes: read.integer('MAX_BODY_BYTES', { fallback: 10_000_000, min: 1_000 }),
    shutdownDelaySeconds: read.integer('SHUTDOWN_DELAY_SECONDS', { fallback: 0, min: 0, max: 300 }),
  };
}

function readNames(env: Env, read: Read, outsideProduction: Fallback) {
  const platformSenderDomain = read.domain('PLATFORM_SENDER_DOMAIN', outsideProduction('posthorn.localhost'));
  const simulatorDomain = env.SIMULATOR_DOMAIN
    ? read.domain('SIMULATOR_DOMAIN', null, platformSenderDomain)
    : `simulator.${platformSenderDomain}`;
  return { platformSenderDomain, simulatorDomain };
}

/** An operator command can do without them. */
function readSecretKeys(
  env: Env,
  read: Read,
  { role, outsideProduction }: { role: ProcessRole; outsideProduction: Fallback },
) {
  const isMissing = role === 'cli' && env.SECRET_KEY === undefined;
  return {
    secretKey: isMissing ? null : read.secret('SECRET_KEY', outsideProduction(DEVELOPMENT_SECRET)),
    previousSecretKeys: read.secrets('SECRET_KEY_PREVIOUS'),
  };
}

function readWorker(read: Read, role: ProcessRole) {
  const workerRoles = read.choices('WORKER_ROLES', WORKER_ROLES);
  const delivers = role === 'worker' && workerRoles.includes('deliver');
  return {
    workerRoles,
    smtpUrls: delivers ? read.urls('SMTP_URL', ['smtp:', 'smtps:']) : [],
    workerConcurrency: read.integer('WORKER_CONCURRENCY', { fallback: 20, min: 1, max: 1_000 }),
    retryScheduleSeconds: read.seconds('RETRY_SCHEDULE', DEFAULT_RETRY_SCHEDULE),
    leaseSeconds: read.integer('LEASE_SECONDS', { fallback: 60, min: 1, max: 3_600 }),
    sweepIntervalMs: read.integer('SWEEP_INTERVAL_MS', { fallback: 1_000, min: 50, max: 60_000 }),
    ambiguousPolicy: read.choice('AMBIGUOUS_POLICY', ['retry', 'hold']),
  };
}

function readInbound(env: Env, read: Read) {
  const [certFile, keyFile] = read.pair('INBOUND_TLS_CERT_FILE', 'INBOUND_TLS_KEY_FILE', PEM_FILE) ?? [null, null];
  return {
    inboundHost: env.INBOUND_HOST ?? env.HOST ?? '127.0.0.1',
    inboundPort: read.integer('INBOUND_PORT', { fallback: 2525, min: 0, max: 65_535 }),
    inboundTls: certFile === null ? null : { certFile, keyFile },
  };
}

function readTracking(env: Env, read: Read) {
  const url = env.TRACKING_URL === undefined ? null : read.url('TRACKING_URL', ['http:', 'https:']);
  return {
    trackingUrl: url?.replace(/\/+$/, '') ?? null,
    trackingCname: url !== null && env.TRACKING_CNAME ? read.domain('TRACKING_CNAME', null) : null,
    trackingHost: env.TRACKING_HOST ?? env.HOST ?? '127.0.0.1',
    trackingPort: read.integer('TRACKING_PORT', { fallback: 3001, min: 0, max: 65_535 }),
  };
}

/** Each kind of process has its own, because all of them may run on one host with the same environment. */
function readMetricsPorts(env: Env, read: Read) {
  const port = (name: keyof Env) => (env[name] ? read.integer(name, { fallback: 0, min: 0, max: 65_535 }) : null);
  return {
    metricsPort: port('METRICS_PORT'),
    apiMetricsPort: port('API_METRICS_PORT'),
    inboundMetricsPort: port('INBOUND_METRICS_PORT'),
    trackingMetricsPort: port('TRACKING_METRICS_PORT'),
  };
}

function readRetention(read: Read) {
  return {
    contentRetentionDays: read.integer('CONTENT_RETENTION_DAYS', {
      fallback: 30,
      min: SCHEDULE_DAYS,
      max: MAX_RETENTION_DAYS,
      why: `because an email can be scheduled ${SCHEDULE_DAYS} days ahead`,
    }),
    emailRetentionDays: read.integer('EMAIL_RETENTION_DAYS', {
      fallback: 400,
      min: MIN_EMAIL_RETENTION_DAYS,
      max: MAX_RETENTION_DAYS,
      why: `because an email can be scheduled ${SCHEDULE_DAYS} days ahead and is then retried for up to ${MAX_AGE_HOURS} hours`,
    }),
  };
}
