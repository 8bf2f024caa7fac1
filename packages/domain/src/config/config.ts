import { limits } from '../limits.js';
import type { BlobStoreSetting } from './blob-store-setting.js';
import { ConfigError } from './config-error.js';
import { envReader } from './env-reader.js';
import type { Env } from './read-env.js';

const DEFAULT_RETRY_SCHEDULE = '60,300,900,1800,3600,7200,14400,28800,28800';

/** Used outside production when SECRET_KEY is not set. It is public, so it protects nothing. */
export const DEVELOPMENT_SECRET = 'a development secret that protects nothing';

/** Longer than any email can wait. */
const MIN_EMAIL_RETENTION_DAYS = limits.scheduleDays.max + limits.maxAgeHours.max / 24 + 1;
const MAX_RETENTION_DAYS = 36_500;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

const PEM_FILE = 'the path of a PEM file. The certificate and its key are set together';

const WORKER_ROLES = ['deliver', 'webhooks'] as const;

/** `deliver` sends emails, `webhooks` sends events to webhooks. */
export type WorkerRole = (typeof WORKER_ROLES)[number];

/** The kinds of process that read a configuration. */
export type ProcessRole = 'api' | 'worker' | 'inbound' | 'tracking' | 'cli';

/**
 * The settings from the environment, read in two pure steps: `readEnv` names every variable, and `toConfig` fills
 * in defaults, checks all values and reports all faults together.
 */
export type Config = {
  readonly production: boolean;
  /** May name several hosts (see parse-database-url.ts). */
  readonly databaseUrl: string;
  /** A standby that lists and exports may be read from; null if there is none. */
  readonly databaseReplicaUrl: string | null;
  readonly redisUrl: string;
  /** SMTP servers to hand messages to, in order of preference. Empty except in the worker. */
  readonly smtpUrls: readonly string[];
  readonly host: string;
  readonly port: number;
  /** Where browsers and clients reach the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly platformSenderDomain: string;
  /** Mail for addresses at this domain gets a simulated result and is not sent to a server. */
  readonly simulatorDomain: string;
  /** Encrypts secrets that must be decrypted later. Null only if an operator command runs without SECRET_KEY. */
  readonly secretKey: string | null;
  /** Earlier values of `secretKey`. What was encrypted or signed with one of them can still be read. */
  readonly previousSecretKeys: readonly string[];
  /** Resolvers for sending-domain checks and webhooks, as `address:port`. If empty, the system's resolvers are used. */
  readonly dnsServers: readonly string[];
  /** Networks such as `10.0.0.0/8` that webhooks may reach although they are private, and over http too. */
  readonly webhookAllowedNetworks: readonly string[];
  readonly rateLimitPerMinute: number;
  readonly redisDownMode: 'accept' | 'refuse';
  readonly signup: 'open' | 'closed';
  /** Number of proxies in front of the API whose X-Forwarded-For is trusted. */
  readonly trustedProxyHops: number;
  readonly maxBodyBytes: number;
  readonly blobStore: BlobStoreSetting;
  /** How long the content of an email is kept, counted from when it was accepted. */
  readonly contentRetentionDays: number;
  /** How long an email and everything else that belongs to it are kept. */
  readonly emailRetentionDays: number;
  /** How many deliveries one worker runs at a time. */
  readonly workerConcurrency: number;
  /** The delay before each retry, in seconds. When all of them are used up, the email fails. */
  readonly retryScheduleSeconds: readonly number[];
  readonly leaseSeconds: number;
  readonly sweepIntervalMs: number;
  readonly ambiguousPolicy: 'retry' | 'hold';
  /** What a worker does. Any worker also cleans up and checks domains. */
  readonly workerRoles: readonly WorkerRole[];
  /** Where bounces and complaints are received by SMTP. */
  readonly inboundHost: string;
  readonly inboundPort: number;
  /** PEM files for STARTTLS; null if it is not offered. */
  readonly inboundTls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Where the links and images of tracked emails lead, without a trailing slash; null if nothing can be tracked. */
  readonly trackingUrl: string | null;
  /**
   * The host that CNAME records of sending domains point to, so that their links have a host name of their own; null if
   * all links have the host of `trackingUrl`.
   */
  readonly trackingCname: string | null;
  /** Where the tracking listener listens. */
  readonly trackingHost: string;
  readonly trackingPort: number;
  readonly logLevel: LogLevel;
  /** Port of the worker's /healthz, /readyz and /metrics; null turns them off. */
  readonly metricsPort: number | null;
  /** Port of the API's /readyz and /metrics, which are then not on `port`; null leaves them there. */
  readonly apiMetricsPort: number | null;
  /** Ports of /healthz, /readyz and /metrics of the two listeners; null turns them off. */
  readonly inboundMetricsPort: number | null;
  readonly trackingMetricsPort: number | null;
  /** How long the API goes on taking requests after it was told to stop, so that load balancers can see the 503 of /readyz. */
  readonly shutdownDelaySeconds: number;
};

/**
 * @param env what `readEnv` returned
 * @param role the process that will use the configuration. Only the worker needs SMTP_URL; an operator command needs
 *   only the database, and its Redis URL may be empty
 * @throws ConfigError that names every missing or invalid variable and says what to set it to
 */
export function toConfig(env: Env, role: ProcessRole): Config {
  const read = envReader(env);
  const production = env.NODE_ENV === 'production' && role !== 'cli';
  const outsideProduction = (fallback: string) => (production ? null : fallback);
  const port = read.integer('PORT', { fallback: 3000, min: 0, max: 65_535 });
  const platformSenderDomain = read.domain('PLATFORM_SENDER_DOMAIN', outsideProduction('posthorn.localhost'));
  const config: Config = {
    production,
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    databaseReplicaUrl: env.DATABASE_REPLICA_URL === undefined ? null : read.replicaUrl('DATABASE_REPLICA_URL'),
    redisUrl: role === 'cli' && env.REDIS_URL === undefined ? '' : read.url('REDIS_URL', ['redis:', 'rediss:']),
    host: env.HOST ?? '127.0.0.1',
    port,
    publicUrl: read
      .url('PUBLIC_URL', ['http:', 'https:'], outsideProduction(`http://localhost:${port}`))
      .replace(/\/+$/, ''),
    platformSenderDomain,
    simulatorDomain: env.SIMULATOR_DOMAIN
      ? read.domain('SIMULATOR_DOMAIN', null, platformSenderDomain)
      : `simulator.${platformSenderDomain}`,
    secretKey:
      role === 'cli' && env.SECRET_KEY === undefined
        ? null
        : read.secret('SECRET_KEY', outsideProduction(DEVELOPMENT_SECRET)),
    previousSecretKeys: read.secrets('SECRET_KEY_PREVIOUS'),
    dnsServers: read.socketAddresses('DNS_SERVERS'),
    webhookAllowedNetworks: read.networks('WEBHOOK_ALLOWED_NETWORKS'),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', { fallback: 60, min: 1 }),
    redisDownMode: read.choice('REDIS_DOWN_MODE', ['accept', 'refuse']),
    signup: read.choice('SIGNUP', ['open', 'closed']),
    trustedProxyHops: read.integer('TRUSTED_PROXY_HOPS', { fallback: 0, min: 0, max: 10 }),
    maxBodyBytes: read.integer('MAX_BODY_BYTES', { fallback: 10_000_000, min: 1_000 }),
    blobStore: read.blobStore('BLOB_STORE'),
    ...readRetention(read),
    ...readWorker(read, role),
    ...readInbound(env, read),
    ...readTracking(env, read),
    logLevel: read.choice('LOG_LEVEL', ['info', ...LOG_LEVELS]),
    ...readMetricsPorts(env, read),
    shutdownDelaySeconds: read.integer('SHUTDOWN_DELAY_SECONDS', { fallback: 0, min: 0, max: 300 }),
  };
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

function readWorker(read: ReturnType<typeof envReader<keyof Env>>, role: ProcessRole) {
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

function readInbound(env: Env, read: ReturnType<typeof envReader<keyof Env>>) {
  const [certFile, keyFile] = read.pair('INBOUND_TLS_CERT_FILE', 'INBOUND_TLS_KEY_FILE', PEM_FILE) ?? [null, null];
  return {
    inboundHost: env.INBOUND_HOST ?? env.HOST ?? '127.0.0.1',
    inboundPort: read.integer('INBOUND_PORT', { fallback: 2525, min: 0, max: 65_535 }),
    inboundTls: certFile === null ? null : { certFile, keyFile },
  };
}

function readTracking(env: Env, read: ReturnType<typeof envReader<keyof Env>>) {
  const url = env.TRACKING_URL === undefined ? null : read.url('TRACKING_URL', ['http:', 'https:']);
  return {
    trackingUrl: url?.replace(/\/+$/, '') ?? null,
    trackingCname: url !== null && env.TRACKING_CNAME ? read.domain('TRACKING_CNAME', null) : null,
    trackingHost: env.TRACKING_HOST ?? env.HOST ?? '127.0.0.1',
    trackingPort: read.integer('TRACKING_PORT', { fallback: 3001, min: 0, max: 65_535 }),
  };
}

/** Each kind of process has its own, because all of them may run on one host with the same environment. */
function readMetricsPorts(env: Env, read: ReturnType<typeof envReader<keyof Env>>) {
  const port = (name: keyof Env) => (env[name] ? read.integer(name, { fallback: 0, min: 0, max: 65_535 }) : null);
  return {
    metricsPort: port('METRICS_PORT'),
    apiMetricsPort: port('API_METRICS_PORT'),
    inboundMetricsPort: port('INBOUND_METRICS_PORT'),
    trackingMetricsPort: port('TRACKING_METRICS_PORT'),
  };
}

function readRetention(read: ReturnType<typeof envReader<keyof Env>>) {
  const { scheduleDays, maxAgeHours } = limits;
  return {
    contentRetentionDays: read.integer('CONTENT_RETENTION_DAYS', {
      fallback: 30,
      min: scheduleDays.max,
      max: MAX_RETENTION_DAYS,
      why: `because an email can be scheduled ${scheduleDays.max} days ahead`,
    }),
    emailRetentionDays: read.integer('EMAIL_RETENTION_DAYS', {
      fallback: 400,
      min: MIN_EMAIL_RETENTION_DAYS,
      max: MAX_RETENTION_DAYS,
      why: `because an email can be scheduled ${scheduleDays.max} days ahead and is then retried for up to ${maxAgeHours.max} hours`,
    }),
  };
}
