import { readSecretFiles } from './read-secret-files.js';

export type Env = ReturnType<typeof readEnv>;

/**
 * Names every variable once. An empty value counts as not set, as in `PORT= npm run start:api`.
 * @throws ConfigError as `readSecretFiles`
 */
export function readEnv(env: NodeJS.ProcessEnv = process.env) {
  const read = variableReader(env);
  return {
    NODE_ENV: read('NODE_ENV'),
    DATABASE_URL: read('DATABASE_URL'),
    DATABASE_REPLICA_URL: read('DATABASE_REPLICA_URL'),
    REDIS_URL: read('REDIS_URL'),
    SMTP_URL: read('SMTP_URL'),
    HOST: read('HOST'),
    PORT: read('PORT'),
    PUBLIC_URL: read('PUBLIC_URL'),
    PLATFORM_SENDER_DOMAIN: read('PLATFORM_SENDER_DOMAIN'),
    SIMULATOR_DOMAIN: read('SIMULATOR_DOMAIN'),
    SECRET_KEY: read('SECRET_KEY'),
    SECRET_KEY_PREVIOUS: read('SECRET_KEY_PREVIOUS'),
    DNS_SERVERS: read('DNS_SERVERS'),
    WEBHOOK_ALLOWED_NETWORKS: read('WEBHOOK_ALLOWED_NETWORKS'),
    RATE_LIMIT_PER_MINUTE: read('RATE_LIMIT_PER_MINUTE'),
    REDIS_DOWN_MODE: read('REDIS_DOWN_MODE'),
    SIGNUP: read('SIGNUP'),
    TRUSTED_PROXY_HOPS: read('TRUSTED_PROXY_HOPS'),
    MAX_BODY_BYTES: read('MAX_BODY_BYTES'),
    BLOB_STORE: read('BLOB_STORE'),
    CONTENT_RETENTION_DAYS: read('CONTENT_RETENTION_DAYS'),
    EMAIL_RETENTION_DAYS: read('EMAIL_RETENTION_DAYS'),
    WORKER_CONCURRENCY: read('WORKER_CONCURRENCY'),
    RETRY_SCHEDULE: read('RETRY_SCHEDULE'),
    LEASE_SECONDS: read('LEASE_SECONDS'),
    SWEEP_INTERVAL_MS: read('SWEEP_INTERVAL_MS'),
    AMBIGUOUS_POLICY: read('AMBIGUOUS_POLICY'),
    WORKER_ROLES: read('WORKER_ROLES'),
    ...readListeners(read),
    ...readProcess(read),
    ...readObservability(read),
  };
}

function readListeners(read: (name: string) => string | undefined) {
  return {
    INBOUND_HOST: read('INBOUND_HOST'),
    INBOUND_PORT: read('INBOUND_PORT'),
    INBOUND_TLS_CERT_FILE: read('INBOUND_TLS_CERT_FILE'),
    INBOUND_TLS_KEY_FILE: read('INBOUND_TLS_KEY_FILE'),
    TRACKING_URL: read('TRACKING_URL'),
    TRACKING_CNAME: read('TRACKING_CNAME'),
    TRACKING_HOST: read('TRACKING_HOST'),
    TRACKING_PORT: read('TRACKING_PORT'),
  };
}

/** How a process starts, logs and stops. */
function readProcess(read: (name: string) => string | undefined) {
  return {
    MIGRATE_ON_START: read('MIGRATE_ON_START'),
    LOG_LEVEL: read('LOG_LEVEL'),
    SHUTDOWN_DELAY_SECONDS: read('SHUTDOWN_DELAY_SECONDS'),
  };
}

function readObservability(read: (name: string) => string | undefined) {
  return {
    METRICS_PORT: read('METRICS_PORT'),
    API_METRICS_PORT: read('API_METRICS_PORT'),
    INBOUND_METRICS_PORT: read('INBOUND_METRICS_PORT'),
    TRACKING_METRICS_PORT: read('TRACKING_METRICS_PORT'),
    OTEL_EXPORTER_OTLP_ENDPOINT: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    OTEL_EXPORTER_OTLP_HEADERS: read('OTEL_EXPORTER_OTLP_HEADERS'),
    OTEL_SERVICE_NAME: read('OTEL_SERVICE_NAME'),
    OTEL_TRACES_SAMPLER: read('OTEL_TRACES_SAMPLER'),
    OTEL_TRACES_SAMPLER_ARG: read('OTEL_TRACES_SAMPLER_ARG'),
  };
}

function variableReader(env: NodeJS.ProcessEnv): (name: string) => string | undefined {
  const secrets = readSecretFiles(env);
  return (name) => secrets.get(name) ?? (env[name]?.trim() || undefined);
}
