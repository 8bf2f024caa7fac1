import type { PoolMode } from '@posthorn/platform/postgres';
import type { BlobStoreSetting } from './blob-store.js';
import type { LOG_LEVELS, WORKER_ROLES } from './settings.js';

/** Used outside production when SECRET_KEY is not set. It is public, so it protects nothing. */
export const DEVELOPMENT_SECRET = 'a development secret that protects nothing';

export type LogLevel = (typeof LOG_LEVELS)[number];

/** `deliver` sends emails, `webhooks` sends events to webhooks. */
export type WorkerRole = (typeof WORKER_ROLES)[number];

/** Where traces are sent, and how many. */
export type TracingSettings = {
  /** The base URL of an OTLP collector, without a trailing slash. */
  readonly endpoint: string;
  /** Sent with every request to the collector. They may contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of requests to record, from 0 to 1, of those whose client does not decide it. */
  readonly sampleRatio: number;
  /** Whether the flag in a client's traceparent says if its request is recorded. */
  readonly clientsDecide: boolean;
};

/** The settings of a process, as `toConfig` reads them from the table in settings.ts. */
export type Config = {
  readonly production: boolean;
  /** May name several hosts (see parse-database-url.ts). */
  readonly databaseUrl: string;
  /** How the connection pooler works that a URL of Postgres leads to, if one does. */
  readonly databasePoolMode: PoolMode;
  /** A standby that lists and exports may be read from; null if there is none. */
  readonly databaseReplicaUrl: string | null;
  /** Whether a process migrates the database when it starts. Otherwise it waits until that is done. */
  readonly migrateOnStart: boolean;
  /** May name Sentinels or nodes of a cluster (see redis-url.ts). */
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
  /** Blocklists in DNS that `posthorn doctor` asks about our source addresses. */
  readonly dnsBlocklists: readonly string[];
  /** Networks that mail may be delivered to directly, although they are private or our own. */
  readonly mxAllowedNetworks: readonly string[];
  /** The port of the recipients' mail servers. */
  readonly mxPort: number;
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
  /** How long a worker waits for mail servers (RFC 5321, 4.5.3.2). */
  readonly smtpTimeouts: {
    readonly greetingSeconds: number;
    /** For the reply to each command before the message. */
    readonly replySeconds: number;
    /** For the reply to the final dot. */
    readonly finalReplySeconds: number;
    /** From MAIL to the reply to the final dot. */
    readonly transactionSeconds: number;
  };
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
  /** Null turns tracing off. */
  readonly tracing: TracingSettings | null;
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
