import {
  anyText,
  blobStore,
  choice,
  choices,
  databaseUrl,
  delays,
  domainName,
  domainNames,
  earlierSecrets,
  headers,
  httpUrl,
  integer,
  type Kind,
  networks,
  port,
  ratio,
  redisUrl,
  replicaUrl,
  secret,
  smtpUrls,
  socketAddresses,
} from './setting-kinds.js';

/** The kinds of process that read a configuration. */
export type ProcessRole = 'api' | 'worker' | 'inbound' | 'tracking' | 'cli';

/** What decides whether a variable is required, or read at all. */
export type Given = {
  readonly role: ProcessRole;
  readonly production: boolean;
  isSet(name: string): boolean;
  /** The settings that have already been read, by name. */
  readonly values: Readonly<Record<string, unknown>>;
};

/**
 * A setting. `npm run settings` writes docs/configuration.md and .env.example from it.
 * @property fallback the default, as an operator would write it
 * @property shownFallback the default as the documentation shows it, if it depends on something
 * @property isSecret whether `<name>_FILE` may name a file that contains the value
 * @property required whether the process needs a value. By default, none does
 * @property isRead whether the value is read at all. By default, it is
 * @property meaning Markdown with links that are relative to docs/
 * @property inCompose what is different with docker compose
 */
export type Setting = Kind<unknown> & {
  readonly fallback?: string;
  readonly shownFallback?: string;
  readonly isSecret?: true;
  readonly required?: true | ((given: Given) => boolean);
  readonly isRead?: (given: Given) => boolean;
  readonly readBy: readonly ProcessRole[];
  readonly meaning: string;
  readonly inCompose?: string;
};

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const WORKER_ROLES = ['deliver', 'webhooks'] as const;

/** Limits of emails, which retention depends on. */
export const MAX_SCHEDULE_DAYS = 30;
export const MAX_AGE_HOURS = 72;

/** Longer than any email can wait. */
const MIN_EMAIL_RETENTION_DAYS = MAX_SCHEDULE_DAYS + MAX_AGE_HOURS / 24 + 1;
const MAX_RETENTION_DAYS = 36_500;

const EVERY_PROCESS = ['api', 'worker', 'inbound', 'tracking'] as const;
const WITH_COMMANDS = [...EVERY_PROCESS, 'cli'] as const;

const inProduction = ({ production }: Given) => production;

const identity = {
  PUBLIC_URL: {
    ...httpUrl,
    shownFallback: '`http://localhost:3000`',
    required: inProduction,
    readBy: ['api', 'worker', 'cli'],
    meaning:
      'The address at which clients and browsers reach the API, such as `https://mail.example.com`. The default uses the value of `PORT`. With `https://`, session cookies are `Secure`. Unsubscribe links begin with it, so mail programs must be able to reach it over https',
  },
  PLATFORM_SENDER_DOMAIN: {
    ...domainName,
    shownFallback: '`posthorn.localhost`',
    required: inProduction,
    readBy: ['api', 'worker', 'inbound', 'cli'],
    meaning:
      'The domain of all platform addresses and of their return paths. At most 180 characters. Read [how to change it](operating/mail.md#change-the-platform-domain) before you do',
  },
  SIMULATOR_DOMAIN: {
    ...domainName,
    shownFallback: '`simulator.posthorn.localhost`',
    readBy: ['api', 'worker', 'cli'],
    meaning:
      'By default, `simulator.` in front of the platform domain. Mail for addresses at this domain gets a [simulated result](api/sending.md#test-mode) and is never sent. It must not be the platform domain or a parent domain of it. Give API processes and workers the same value',
  },
  SECRET_KEY: {
    ...secret,
    isSecret: true,
    required: inProduction,
    readBy: WITH_COMMANDS,
    meaning:
      'At least 32 characters; create one with `openssl rand -base64 32`. Encrypts stored secrets such as DKIM keys, encrypts unsubscribe links, and signs return paths and tracking links. Use the same value in every process. Read [how to change it](operating/backups.md#change-secret_key). Outside production, a public development key is used if it is not set',
    inCompose: 'leave it empty',
  },
  SECRET_KEY_PREVIOUS: {
    ...earlierSecrets,
    isSecret: true,
    readBy: WITH_COMMANDS,
    meaning:
      'Earlier values of `SECRET_KEY`, comma-separated. What was encrypted or signed with them can still be read. Read [for how long you need them](operating/backups.md#change-secret_key)',
    inCompose: 'change it in secrets/secret-key-previous',
  },
  NODE_ENV: {
    ...anyText,
    readBy: EVERY_PROCESS,
    meaning: '`production` removes the defaults that are only safe for development',
    inCompose: 'it is production',
  },
} as const satisfies Record<string, Setting>;

const servers = {
  DATABASE_URL: {
    ...databaseUrl,
    isSecret: true,
    required: true,
    readBy: WITH_COMMANDS,
    meaning:
      'Postgres: `postgres://user:password@host:5432/database`. It may name [several hosts](#several-postgres-hosts), and lead to [PgBouncer](operating/databases.md#pgbouncer)',
    inCompose: 'it is in secrets/database-url',
  },
  DATABASE_POOL_MODE: {
    ...choice('session', 'transaction'),
    fallback: 'session',
    readBy: WITH_COMMANDS,
    meaning:
      'The `pool_mode` of the [PgBouncer](operating/databases.md#pgbouncer) that `DATABASE_URL` or `DATABASE_REPLICA_URL` leads to. It has no effect on direct connections',
  },
  DATABASE_REPLICA_URL: {
    ...replicaUrl,
    isSecret: true,
    readBy: ['api', 'cli'],
    meaning:
      'A standby that follows the primary by streaming, with one host: `postgres://user:password@standby:5432/database`. The API then reads lists and exports [from there](operating/databases.md#reading-from-a-replica)',
    inCompose: 'change it in secrets/database-replica-url',
  },
  MIGRATE_ON_START: {
    ...choice('on', 'off'),
    fallback: 'on',
    readBy: EVERY_PROCESS,
    meaning:
      '`on`: each process migrates the database when it starts. `off`: it waits until you have run `npx posthorn db migrate` ([upgrades](operating/install.md#upgrades))',
  },
  REDIS_URL: {
    ...redisUrl,
    isSecret: true,
    shownFallback: 'required',
    required: ({ role }) => role !== 'cli',
    readBy: WITH_COMMANDS,
    meaning:
      'Redis: `redis://host:6379` for one server, `redis+sentinel://host:26379,host2:26379/master-name` for a master that Sentinels watch, or `redis+cluster://host:6379,host2:6379` for a Redis Cluster ([details](operating/databases.md#sentinel-and-cluster)). With TLS, it starts with `rediss`',
    inCompose: 'it is set to the Redis that compose starts',
  },
  DNS_BLOCKLISTS: {
    ...domainNames,
    shownFallback: 'none',
    readBy: ['cli'],
    meaning:
      'Blocklists in DNS, comma-separated, such as `zen.spamhaus.org`. `posthorn doctor` looks up the source addresses of direct delivery there. Many lists allow this to small senders only',
  },
  DNS_SERVERS: {
    ...socketAddresses,
    shownFallback: "the system's resolvers",
    readBy: ['api', 'worker', 'cli'],
    meaning:
      'Resolvers for checking sending domains and finding webhook receivers: IP addresses with or without a port, comma-separated, such as `192.0.2.53:53`. Without them, names are looked up in the hosts file too. Search domains are not used, so names must be complete',
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    ...networks,
    readBy: ['api', 'worker'],
    meaning:
      'Networks that webhooks may reach although they are not public, and without https: CIDR notation or single addresses, comma-separated, such as `10.20.0.0/16,fd12:3456::/32`. [Security](security.md#webhooks) explains what is refused otherwise. Give API processes and workers the same value',
  },
} as const satisfies Record<string, Setting>;

const api = {
  HOST: {
    ...anyText,
    fallback: '127.0.0.1',
    readBy: EVERY_PROCESS,
    meaning: 'The address that the API listens on. The ports for metrics are on it too',
  },
  PORT: {
    ...port,
    fallback: '3000',
    readBy: ['api'],
    meaning: 'The port the API listens on',
    inCompose: 'the port on this host',
  },
  RATE_LIMIT_PER_MINUTE: {
    ...integer(1, null),
    fallback: '60',
    readBy: ['api', 'worker', 'cli'],
    meaning:
      'Emails per minute for each API key, and for each user across all of their sessions, regardless of the number of recipients. A plan or workspace override replaces it',
  },
  REDIS_DOWN_MODE: {
    ...choice('accept', 'refuse'),
    fallback: 'accept',
    readBy: ['api', 'worker'],
    meaning:
      'What the API does while Redis is down. `accept` accepts emails using only Postgres, and `refuse` answers 503',
  },
  SIGNUP: {
    ...choice('open', 'closed'),
    fallback: 'open',
    readBy: ['api'],
    meaning:
      'With `open`, anyone can sign up; until they confirm their email address, they can send to that address only. `closed` disables sign-up: only the operator can create accounts, but owners can still invite new members',
  },
  TRUSTED_PROXY_HOPS: {
    ...integer(0, 10),
    fallback: '0',
    readBy: ['api'],
    meaning: 'How many proxies in front of the API are trusted to set `X-Forwarded-For`: 0 to 10',
  },
  MAX_BODY_BYTES: {
    ...integer(1_000, null),
    fallback: '10000000',
    readBy: ['api'],
    meaning: 'The largest request body, in bytes: 1,000 or more',
  },
  BLOB_STORE: {
    ...blobStore,
    fallback: 'postgres',
    isSecret: true,
    readBy: ['api', 'worker'],
    meaning:
      'Where the content of attachments is stored: `postgres`, or `s3://KEY:SECRET@HOST/BUCKET` with an optional `?region=REGION`, and `&insecure=1` for a server without TLS. Give API processes and workers the same value. If you change it, content that is already stored stays where it is ([object store](operating/databases.md#object-store))',
    inCompose: 'change it in secrets/blob-store',
  },
} as const satisfies Record<string, Setting>;

const retention = {
  CONTENT_RETENTION_DAYS: {
    ...integer(
      MAX_SCHEDULE_DAYS,
      MAX_RETENTION_DAYS,
      `because an email can be scheduled ${MAX_SCHEDULE_DAYS} days ahead`,
    ),
    fallback: '30',
    readBy: ['api', 'worker'],
    meaning: `Days until the content of an email is deleted, counted from when it was accepted. At least ${MAX_SCHEDULE_DAYS}, because an email can be scheduled ${MAX_SCHEDULE_DAYS} days ahead`,
  },
  EMAIL_RETENTION_DAYS: {
    ...integer(
      MIN_EMAIL_RETENTION_DAYS,
      MAX_RETENTION_DAYS,
      `because an email can be scheduled ${MAX_SCHEDULE_DAYS} days ahead and is then retried for up to ${MAX_AGE_HOURS} hours`,
    ),
    fallback: '400',
    readBy: ['api', 'worker'],
    meaning: `Days until an email is deleted with everything that belongs to it. At least ${MIN_EMAIL_RETENTION_DAYS}, because an email can be scheduled ${MAX_SCHEDULE_DAYS} days ahead and is then retried for up to ${MAX_AGE_HOURS} hours`,
  },
} as const satisfies Record<string, Setting>;

/** The certificate and its key are set together. */
const pemFile = { ...anyText, expected: 'the path of a PEM file. The certificate and its key are set together' };

const bounceListener = {
  INBOUND_HOST: {
    ...anyText,
    shownFallback: 'the value of `HOST`',
    readBy: ['inbound'],
    meaning: 'The address that the listener for bounces and complaints uses',
  },
  INBOUND_PORT: {
    ...port,
    fallback: '2525',
    readBy: ['inbound'],
    meaning:
      'Its port. Other mail servers connect to port 25, so forward that port to this one, or run the listener with the right to use 25',
    inCompose: 'the port on this host, 25 by default',
  },
  INBOUND_TLS_CERT_FILE: {
    ...pemFile,
    required: ({ isSet }) => isSet('INBOUND_TLS_KEY_FILE'),
    readBy: ['inbound'],
    meaning: 'A PEM file with a certificate for `bounces.<platform domain>`. With it, the listener offers STARTTLS',
  },
  INBOUND_TLS_KEY_FILE: {
    ...pemFile,
    required: ({ isSet }) => isSet('INBOUND_TLS_CERT_FILE'),
    readBy: ['inbound'],
    meaning: 'The PEM file with its key',
  },
} as const satisfies Record<string, Setting>;

const trackingListener = {
  TRACKING_URL: {
    ...httpUrl,
    readBy: ['api', 'worker', 'tracking', 'cli'],
    meaning:
      'Where the links and images of emails lead that record clicks and opens, such as `https://links.example.com`. Without it, domains cannot [record opens and clicks](api/domains.md#tracking). Give API processes and workers the same value. Emails keep the value they were accepted with, so the old address must work for as long as old links should',
  },
  TRACKING_CNAME: {
    ...domainName,
    isRead: ({ isSet }) => isSet('TRACKING_URL'),
    readBy: ['api', 'worker', 'tracking', 'cli'],
    meaning:
      'The host that the CNAME records of sending domains point to, such as `links.example.com`. With it, domains can have [tracked links with their own name](operating/mail.md#tracking-hosts). Give API processes and workers the same value',
  },
  TRACKING_HOST: {
    ...anyText,
    shownFallback: 'the value of `HOST`',
    readBy: ['tracking'],
    meaning: 'The address that the tracking listener uses',
  },
  TRACKING_PORT: {
    ...port,
    fallback: '3001',
    readBy: ['tracking'],
    meaning: 'Its port',
    inCompose: 'the port on this host, for a TLS proxy',
  },
} as const satisfies Record<string, Setting>;

const worker = {
  WORKER_ROLES: {
    ...choices(...WORKER_ROLES),
    fallback: WORKER_ROLES.join(),
    readBy: ['worker'],
    meaning:
      'What a worker does: `deliver` sends emails, `webhooks` sends events to [webhooks](api/webhooks.md#webhooks). Without `deliver`, `SMTP_URL` is not needed',
  },
  SMTP_URL: {
    ...smtpUrls,
    shownFallback: 'required by the worker',
    isSecret: true,
    required: ({ role }) => role === 'worker',
    isRead: ({ role, values }) =>
      role === 'inbound' || (role === 'worker' && String(values.WORKER_ROLES).includes('deliver')),
    readBy: ['worker', 'inbound', 'cli'],
    meaning:
      'Mail servers in order of preference, comma-separated: the relays `env-1`, `env-2`, ... See [SMTP_URL](#smtp_url)',
    inCompose: 'change it in secrets/smtp-url',
  },
  MX_ALLOWED_NETWORKS: {
    ...networks,
    shownFallback: 'none',
    readBy: ['worker'],
    meaning:
      'Networks that mail may be delivered to directly (`mx:`) although they are private, comma-separated. Without it, private, loopback and own addresses are never connected to',
  },
  MX_PORT: {
    ...port,
    fallback: '25',
    readBy: ['worker'],
    meaning:
      "The port of the recipients' mail servers, for direct delivery (`mx:`). Anything but 25 is for trying it out",
  },
  SMTP_GREETING_SECONDS: {
    ...integer(1, 600),
    fallback: '30',
    readBy: ['worker'],
    meaning:
      'How long a worker waits for the greeting of a mail server: 1 to 600. RFC 5321 recommends 300, but the next mail server is tried only after this time',
  },
  SMTP_REPLY_SECONDS: {
    ...integer(1, 600),
    fallback: '300',
    readBy: ['worker'],
    meaning:
      'How long a mail server may take to reply to each command before the message, such as `MAIL` and each `RCPT`: 1 to 600',
  },
  SMTP_FINAL_REPLY_SECONDS: {
    ...integer(1, 3_600),
    fallback: '600',
    readBy: ['worker'],
    meaning:
      'How long a mail server may take to reply to the end of the message: 1 to 3,600. After this time, it is [unknown](guarantees.md#what-is-not-promised) whether it has the email',
  },
  SMTP_TRANSACTION_SECONDS: {
    ...integer(1, 7_200),
    fallback: '1800',
    readBy: ['worker'],
    meaning:
      'How long a worker works on one email in an SMTP session, with all replies together: 1 to 7,200. A mail server that replies or reads slowly occupies one of the `WORKER_CONCURRENCY` places for this time at most',
  },
  WORKER_CONCURRENCY: {
    ...integer(1, 1_000),
    fallback: '20',
    readBy: ['worker'],
    meaning:
      'How many emails one worker delivers at a time: 1 to 1,000. The worker opens at most this many SMTP sessions to each mail server',
  },
  RETRY_SCHEDULE: {
    ...delays,
    fallback: '60,300,900,1800,3600,7200,14400,28800,28800',
    readBy: ['worker'],
    meaning: `Seconds to wait before each retry. Each wait varies randomly by up to 20%. The email fails after the last attempt, or ${MAX_AGE_HOURS} hours after it was first due`,
  },
  LEASE_SECONDS: {
    ...integer(1, 3_600),
    fallback: '60',
    readBy: ['worker'],
    meaning:
      'How long a worker may be unresponsive before another worker takes over its emails, and the webhooks that it was sending to: 1 to 3,600',
  },
  SWEEP_INTERVAL_MS: {
    ...integer(50, 60_000),
    fallback: '1000',
    readBy: ['worker'],
    meaning: "Milliseconds between a worker's polls for due emails: 50 to 60,000",
  },
  AMBIGUOUS_POLICY: {
    ...choice('retry', 'hold'),
    fallback: 'retry',
    readBy: ['worker'],
    meaning:
      'What happens to an email if Posthorn cannot know whether the mail server accepted it. `retry` sends it again, and `hold` marks it as failed. See [Guarantees](guarantees.md#what-is-not-promised)',
  },
} as const satisfies Record<string, Setting>;

const observability = {
  LOG_LEVEL: {
    ...choice(...LOG_LEVELS),
    fallback: 'info',
    readBy: EVERY_PROCESS,
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...httpUrl,
    readBy: ['api', 'worker'],
    meaning:
      'The base URL of an OpenTelemetry collector, such as `http://localhost:4318`. The API and workers then send [traces](operating/watching.md#traces) to `/v1/traces` there, as OTLP over HTTP with protobuf. Without it, nothing is traced',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...headers,
    isSecret: true,
    readBy: ['api', 'worker'],
    meaning: 'Headers for the collector, such as `api-key=s3cret`: names and percent-encoded values, comma-separated',
    inCompose: 'change it in secrets/otel-headers',
  },
  OTEL_SERVICE_NAME: {
    ...anyText,
    shownFallback: '`posthorn-api` or `posthorn-worker`',
    readBy: ['api', 'worker'],
    meaning: 'The name of the service in traces',
  },
  OTEL_TRACES_SAMPLER: {
    ...choice('traceidratio', 'parentbased_traceidratio'),
    fallback: 'traceidratio',
    readBy: ['api', 'worker'],
    meaning:
      'Who decides which requests are traced. `traceidratio`: you, with `OTEL_TRACES_SAMPLER_ARG`. `parentbased_traceidratio`: the client, if it sends a `traceparent` header',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    ...ratio,
    fallback: '1',
    readBy: ['api', 'worker'],
    meaning: 'The share of requests to trace, from 0 to 1, of those whose client does not decide',
  },
  METRICS_PORT: {
    ...port,
    readBy: ['worker', 'cli'],
    meaning:
      "The port of the worker's `/healthz`, `/readyz` and `/metrics`. Without it, the worker serves none of them",
  },
  API_METRICS_PORT: {
    ...port,
    readBy: ['api'],
    meaning:
      "The port of the API's `/readyz` and `/metrics`. They are then not on `PORT`, so the public cannot reach them. `/healthz` is on both. The Docker images set it and the other three to 9464",
  },
  INBOUND_METRICS_PORT: {
    ...port,
    readBy: ['inbound'],
    meaning: "The port of the bounce listener's `/healthz`, `/readyz` and `/metrics`",
  },
  TRACKING_METRICS_PORT: {
    ...port,
    readBy: ['tracking'],
    meaning:
      "The port of the tracking listener's `/healthz`, `/readyz` and `/metrics`. `/healthz` is on `TRACKING_PORT` too",
  },
  SHUTDOWN_DELAY_SECONDS: {
    ...integer(0, 300),
    fallback: '0',
    readBy: ['api'],
    meaning:
      'How long the API goes on taking requests after a SIGTERM, while `/readyz` answers 503 and every response closes its connection. Behind a load balancer, set it to more than the time that its health checks take to notice',
  },
} as const satisfies Record<string, Setting>;

/** By their section in docs/configuration.md. They are read in this order. */
export const settingGroups = {
  'Identity and secrets': identity,
  Servers: servers,
  API: api,
  Retention: retention,
  'Bounce listener': bounceListener,
  'Tracking listener': trackingListener,
  Worker: worker,
  'Logs, traces and health checks': observability,
} as const;

export const settings = {
  ...identity,
  ...servers,
  ...api,
  ...retention,
  ...bounceListener,
  ...trackingListener,
  ...worker,
  ...observability,
} as const;

export type SettingName = keyof typeof settings;
