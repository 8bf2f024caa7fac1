import { readFileSync } from 'node:fs';
import { type Config, DEVELOPMENT_SECRET } from './config.js';
import type { Kind } from './setting-kinds.js';
import { type Given, type ProcessRole, type Setting, type SettingName, settings } from './settings.js';

/** Lists everything that is wrong with the environment, one line per variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/** The text of every variable; undefined if it is not set. */
export type Env = Readonly<Record<SettingName, string | undefined>>;

const table: ReadonlyArray<readonly [string, Setting]> = Object.entries(settings);

/**
 * Takes the variables that are settings from an environment. An empty value counts as not set, as in
 * `PORT= npm run start:api`. Secrets may be in files, as container platforms mount them: `SECRET_KEY_FILE` is the path of
 * a file with the value of `SECRET_KEY`. An empty file counts as not set too.
 * @throws ConfigError if a file cannot be read, or a variable is given in both ways
 */
export function readEnv(env: NodeJS.ProcessEnv = process.env): Env {
  const faults: string[] = [];
  const texts = table.map(([name, { isSecret }]) => {
    const text = env[name]?.trim();
    const path = isSecret && env[`${name}_FILE`]?.trim();
    if (!path) return [name, text || undefined];
    if (text) faults.push(`${name} and ${name}_FILE are both set. Set one of them.`);
    const content = readText(path);
    if (content === null)
      faults.push(`${name}_FILE is not valid. Set it to the path of a file that this process can read.`);
    return [name, content || undefined];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.fromEntries(texts);
}

/** @returns null if the file cannot be read */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** The value of each setting. One without a default is null if it is not set. */
type Values = {
  readonly [Name in SettingName]: (typeof settings)[Name] extends Kind<infer Value>
    ? (typeof settings)[Name] extends { fallback: string }
      ? Value
      : Value | null
    : never;
};

/**
 * @param env what `readEnv` returned
 * @param role the process that will use the configuration. Only the worker needs SMTP_URL; an operator command needs
 *   only the database, and its Redis URL may be empty
 * @throws ConfigError that names every missing or invalid variable and says what to set it to
 */
export function toConfig(env: Env, role: ProcessRole): Config {
  const production = env.NODE_ENV === 'production' && role !== 'cli';
  const values = readValues(env, { role, production });
  const { platformSenderDomain, simulatorDomain } = toNames(values);
  const developmentSecret = role === 'cli' ? null : DEVELOPMENT_SECRET;
  return {
    production,
    databaseUrl: values.DATABASE_URL ?? '',
    databasePoolMode: values.DATABASE_POOL_MODE,
    databaseReplicaUrl: values.DATABASE_REPLICA_URL,
    migrateOnStart: values.MIGRATE_ON_START === 'on',
    redisUrl: values.REDIS_URL ?? '',
    smtpUrls: values.SMTP_URL ?? [],
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    platformSenderDomain,
    simulatorDomain,
    secretKey: values.SECRET_KEY ?? developmentSecret,
    previousSecretKeys: values.SECRET_KEY_PREVIOUS ?? [],
    dnsServers: values.DNS_SERVERS ?? [],
    webhookAllowedNetworks: values.WEBHOOK_ALLOWED_NETWORKS ?? [],
    dnsBlocklists: values.DNS_BLOCKLISTS ?? [],
    mxAllowedNetworks: values.MX_ALLOWED_NETWORKS ?? [],
    mxPort: values.MX_PORT,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    redisDownMode: values.REDIS_DOWN_MODE,
    signup: values.SIGNUP,
    trustedProxyHops: values.TRUSTED_PROXY_HOPS,
    maxBodyBytes: values.MAX_BODY_BYTES,
    blobStore: values.BLOB_STORE,
    contentRetentionDays: values.CONTENT_RETENTION_DAYS,
    emailRetentionDays: values.EMAIL_RETENTION_DAYS,
    ...toDelivery(values),
    ...toListeners(values),
    logLevel: values.LOG_LEVEL,
    tracing: toTracing(values, `posthorn-${role}`),
    ...toMetricsPorts(values),
    shutdownDelaySeconds: values.SHUTDOWN_DELAY_SECONDS,
  };
}

/** What a worker needs to know about delivering. */
function toDelivery(values: Values) {
  return {
    workerConcurrency: values.WORKER_CONCURRENCY,
    retryScheduleSeconds: values.RETRY_SCHEDULE,
    leaseSeconds: values.LEASE_SECONDS,
    smtpTimeouts: {
      greetingSeconds: values.SMTP_GREETING_SECONDS,
      replySeconds: values.SMTP_REPLY_SECONDS,
      finalReplySeconds: values.SMTP_FINAL_REPLY_SECONDS,
      transactionSeconds: values.SMTP_TRANSACTION_SECONDS,
    },
    sweepIntervalMs: values.SWEEP_INTERVAL_MS,
    ambiguousPolicy: values.AMBIGUOUS_POLICY,
    workerRoles: values.WORKER_ROLES,
  };
}

/** @throws ConfigError like `toConfig` */
function readValues(env: Env, { role, production }: Pick<Given, 'role' | 'production'>): Values {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  const given: Given = { role, production, values, isSet: (name) => env[name as SettingName] !== undefined };
  for (const [name, setting] of table) {
    const { value, fault } = readSetting(env[name as SettingName], setting, given);
    values[name] = value;
    if (fault !== null) faults.push(`${name} ${fault}. Set it to ${setting.expected}.`);
  }
  const simulatorFault = findSimulatorFault(values as Values);
  if (simulatorFault !== null) faults.push(simulatorFault);
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Values;
}

type Reading = { readonly value: unknown; readonly fault: 'is missing' | 'is not valid' | null };

function readSetting(text: string | undefined, { schema, fallback, required, isRead }: Setting, given: Given): Reading {
  if (isRead && !isRead(given)) return { value: null, fault: null };
  const usedText = text ?? fallback;
  if (usedText === undefined) {
    const isMissing = typeof required === 'function' ? required(given) : required;
    return { value: null, fault: isMissing ? 'is missing' : null };
  }
  const { value, error } = schema.validate(usedText);
  return error ? { value: null, fault: 'is not valid' } : { value, fault: null };
}

const DEVELOPMENT_DOMAIN = 'posthorn.localhost';

function toNames(values: Values) {
  const platformSenderDomain = values.PLATFORM_SENDER_DOMAIN ?? DEVELOPMENT_DOMAIN;
  return { platformSenderDomain, simulatorDomain: values.SIMULATOR_DOMAIN ?? `simulator.${platformSenderDomain}` };
}

function findSimulatorFault(values: Values): string | null {
  const { platformSenderDomain, simulatorDomain } = toNames(values);
  if (!`.${platformSenderDomain}`.endsWith(`.${simulatorDomain}`)) return null;
  const { expected } = settings.SIMULATOR_DOMAIN;
  return `SIMULATOR_DOMAIN is not valid. Set it to ${expected}. It must not be ${platformSenderDomain} or a parent domain of it.`;
}

function toListeners(values: Values) {
  const { INBOUND_TLS_CERT_FILE: certFile, INBOUND_TLS_KEY_FILE: keyFile, HOST } = values;
  return {
    inboundHost: values.INBOUND_HOST ?? HOST,
    inboundPort: values.INBOUND_PORT,
    inboundTls: certFile === null || keyFile === null ? null : { certFile, keyFile },
    trackingUrl: values.TRACKING_URL,
    trackingCname: values.TRACKING_CNAME,
    trackingHost: values.TRACKING_HOST ?? HOST,
    trackingPort: values.TRACKING_PORT,
  };
}

/** Each kind of process has its own, because all of them may run on one host with the same environment. */
function toMetricsPorts(values: Values) {
  return {
    metricsPort: values.METRICS_PORT,
    apiMetricsPort: values.API_METRICS_PORT,
    inboundMetricsPort: values.INBOUND_METRICS_PORT,
    trackingMetricsPort: values.TRACKING_METRICS_PORT,
  };
}

/** @returns null if tracing is off */
function toTracing(values: Values, defaultName: string): Config['tracing'] {
  if (values.OTEL_EXPORTER_OTLP_ENDPOINT === null) return null;
  return {
    endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: values.OTEL_SERVICE_NAME ?? defaultName,
    sampleRatio: values.OTEL_TRACES_SAMPLER_ARG,
    clientsDecide: values.OTEL_TRACES_SAMPLER === 'parentbased_traceidratio',
  };
}
