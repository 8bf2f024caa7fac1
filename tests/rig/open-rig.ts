import { join } from 'node:path';
import { migrateDatabase } from '@posthorn/domain/schema';
import { type Context, closeContext, openContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { connectDatabase } from '@posthorn/platform/postgres';
import { findFreePort } from '@posthorn/servers';
import { createTestWorkspace, runOlderPosthorn, type TestWorkspace, toDatabaseUrl } from '@posthorn/testing';
import { type Client, createClient, newIdempotencyKey, type SendRequest, type SendResponse } from './client.js';
import { type FaultyS3, startFaultyS3 } from './faulty-s3.js';
import { type FaultySmtp, type Handoff, startFaultySmtp } from './faulty-smtp.js';
import { openJournal } from './journal.js';
import { createOlderWorkspace } from './older-version.js';
import { type Random, seededRandom } from './seeded-random.js';
import type { Servers } from './servers.js';
import { type SupervisedProcess, startSupervisedProcess } from './supervised-process.js';

/** Short, so that a lost lease delays a scenario by seconds instead of a minute. */
export const LEASE_SECONDS = 3;

const SECRET_KEY = 'a secret that only the fault runs use';

type Env = Readonly<Record<string, string>>;

export type RigOptions = {
  readonly apis?: number;
  readonly workers?: number;
  /** How many processes receive bounces. */
  readonly inbounds?: number;
  /** Starts the Redis of this rig, instead of the one that all rigs share. */
  readonly startRedis?: () => Promise<RedisDeployment>;
  /** Starts a connection pooler between the processes and Postgres. It gets the URL of Postgres. */
  readonly startPooler?: (postgresUrl: string) => Promise<Pooler>;
  /** Whether an S3 server has the content of attachments. */
  readonly withS3?: boolean;
  /** How many mail servers the workers may use, in order of preference. */
  readonly relays?: number;
  /**
   * Environment variables for the processes. A function gets the ports of the mail servers and of the processes that
   * receive bounces, and may start other mail servers between them.
   */
  readonly env?: Env | ((mailServerPorts: readonly number[], inboundPorts: readonly number[]) => Promise<Env>);
  /**
   * Builds an older version and returns its folder. The rig then starts with it: its code runs in all processes, and its
   * migrations create the database.
   */
  readonly olderVersion?: () => Promise<string>;
  /** How many hours the clock of each process is ahead, in the order in which the processes start. */
  readonly clockHours?: { readonly [App in SupervisedProcess['app']]?: readonly number[] };
};

/** A Redis that consists of several processes. */
export type RedisDeployment = { readonly url: string; close(): Promise<void> };

export type Pooler = {
  /** Like the URL of Postgres, but through the pooler. */
  readonly url: string;
  /** kill -9. It is started again at once. */
  kill(): void;
  close(): Promise<void>;
};

/** A client that keeps sending. Each of its `inFlight` senders pauses for `pauseMs` after a response. */
export type LoadOptions = { readonly inFlight?: number; readonly behaviour?: () => string; readonly pauseMs?: number };

/** A fresh service for one scenario: database, processes, mail server and client. */
export type Rig = {
  readonly name: string;
  readonly canary: string;
  /** Chooses the faults. The load uses `loadRandom` instead, so its timing cannot change a seed's faults. */
  readonly random: Random;
  readonly loadRandom: Random;
  readonly servers: Servers;
  /** Connects to Postgres and Redis directly, to prepare and inspect them. */
  readonly ctx: Context;
  /** The first of the mail servers. */
  readonly smtp: FaultySmtp;
  readonly mailServers: readonly FaultySmtp[];
  /** Null unless the scenario asks for it. */
  readonly s3: FaultyS3 | null;
  /** Null unless the scenario starts its own Redis. */
  readonly redis: RedisDeployment | null;
  /** Null unless the scenario asks for it. */
  readonly pooler: Pooler | null;
  readonly apis: readonly SupervisedProcess[];
  readonly workers: readonly SupervisedProcess[];
  readonly inbounds: readonly SupervisedProcess[];
  readonly tenant: TestWorkspace;
  readonly client: Client;
  /** Milliseconds from the end of a fault until the service worked again. */
  readonly recoveries: number[];
  /** Every message that any of the mail servers has. */
  handoffs(): Handoff[];
  /**
   * A request to a random API process with the tenant's API key, a new idempotency key and a recipient with this
   * behaviour.
   */
  requestTo(behaviour: string, more?: Partial<SendRequest>): SendRequest;
  /** Keeps sending until `work` is done. @returns the result of `work` */
  whileSending<T>(work: () => Promise<T>, options?: LoadOptions): Promise<T>;
  /** Sends `count` emails, `inFlight` at a time. @returns the last response to each */
  sendMany(
    count: number,
    options?: { inFlight?: number; behaviour?: string; more?: Partial<SendRequest> },
  ): Promise<SendResponse[]>;
  close(): Promise<void>;
};

export async function openRig(servers: Servers, name: string, seed: number, options: RigOptions = {}): Promise<Rig> {
  const {
    apis: apiCount = 1,
    workers: workerCount = 1,
    inbounds: inboundCount = 0,
    relays: relayCount = 1,
    withS3,
    startRedis,
    startPooler,
    env = {},
    clockHours = {},
  } = options;
  const checkout = await options.olderVersion?.();
  const random = seededRandom(seed);
  const loadRandom = seededRandom(seed + 1);
  const canary = `canary-${name}-${seed}`.toLowerCase();
  const database = `rig_${name.toLowerCase()}_${Date.now()}`;
  const databaseUrl = await createDatabase(servers.postgresUrl({ proxied: false }), database, checkout);
  const s3 = withS3 ? await startFaultyS3(join(servers.folder, `${name}-s3`)) : null;
  const redis = startRedis ? await startRedis() : null;
  const redisUrl = (proxied: boolean) => redis?.url ?? servers.redisUrl({ proxied });
  const pooler = startPooler ? await startPooler(servers.postgresUrl({ proxied: false })) : null;
  const blobStore = s3 && { BLOB_STORE: s3.blobStore };
  const ctx = openContext(
    toConfig(
      readEnv({
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl(false),
        SECRET_KEY,
        LOG_LEVEL: 'silent',
        ...blobStore,
      }),
      'cli',
    ),
    'rig',
  );
  await ctx.redis.ping().catch(() => {});
  const tenant = checkout
    ? await createOlderWorkspace(ctx, checkout)
    : await createTestWorkspace(ctx, { planId: 'pro' });
  const startMailServer = (_: unknown, index: number) =>
    startFaultySmtp(join(servers.folder, `${name}-handoffs-${index}.jsonl`));
  const mailServers = await Promise.all(Array.from({ length: relayCount }, startMailServer));
  const client = createClient(await openJournal<SendResponse>(join(servers.folder, `${name}-responses.jsonl`)), canary);
  const ports = mailServers.map(({ port }) => port);
  const inboundPorts = await Promise.all(Array.from({ length: inboundCount }, () => findFreePort()));
  const common = {
    DATABASE_URL: toDatabaseUrl(pooler?.url ?? servers.postgresUrl({ proxied: true }), database),
    REDIS_URL: redisUrl(true),
    SECRET_KEY,
    RATE_LIMIT_PER_MINUTE: '1000000',
    LEASE_SECONDS: String(LEASE_SECONDS),
    // A server that never finishes a reply would hold up the end of a scenario for five minutes.
    SMTP_REPLY_SECONDS: '60',
    SWEEP_INTERVAL_MS: '250',
    WORKER_CONCURRENCY: '8',
    RETRY_SCHEDULE: '0.5,0.5,1,1,2,2,4,4',
    SMTP_URL: ports.map((port) => `smtp://127.0.0.1:${port}`).join(','),
    ...blobStore,
    ...(typeof env === 'function' ? await env(ports, inboundPorts) : env),
  };
  const start = async (app: SupervisedProcess['app'], index: number) =>
    startSupervisedProcess({
      app,
      env: common,
      ...(app !== 'worker' && { port: app === 'inbound' ? inboundPorts[index] : await findFreePort() }),
      clockHours: clockHours[app]?.[index] ?? 0,
      ...(checkout && { checkout }),
    });
  const startMany = (app: SupervisedProcess['app'], wanted: number) =>
    Promise.all(Array.from({ length: wanted }, (_, index) => start(app, index)));
  const apis = await startMany('api', apiCount);
  const workers = await startMany('worker', workerCount);
  const inbounds = await startMany('inbound', inboundCount);

  let count = 0;
  const rig: Rig = {
    name,
    canary,
    random,
    loadRandom,
    servers,
    ctx,
    smtp: mailServers[0] as FaultySmtp,
    mailServers,
    s3,
    redis,
    pooler,
    apis,
    workers,
    inbounds,
    tenant,
    client,
    recoveries: [],
    handoffs: () => mailServers.flatMap(({ handoffs }) => handoffs),
    requestTo(behaviour, more = {}) {
      count += 1;
      return {
        api: () => loadRandom.pick(apis as [SupervisedProcess, ...SupervisedProcess[]]).url,
        authorization: `Bearer ${tenant.key}`,
        to: [`${behaviour}-${count}@rig.test`],
        key: newIdempotencyKey(),
        ...more,
      };
    },
    sendMany(wanted, { inFlight = 8, behaviour = 'ok', more = {} } = {}) {
      let left = wanted;
      return client.load(inFlight, () => (left-- > 0 ? rig.requestTo(behaviour, more) : null));
    },
    async whileSending(work, { inFlight = 8, behaviour = () => 'ok', pauseMs = 0 } = {}) {
      let isOver = false;
      const load = client.load(inFlight, () => (isOver ? null : rig.requestTo(behaviour())), pauseMs);
      try {
        return await work();
      } finally {
        isOver = true;
        await load;
      }
    },
    async close() {
      for (const proxy of [servers.proxies.postgres, servers.proxies.redis]) proxy.restore();
      await Promise.all([...apis, ...workers, ...inbounds].map((process) => process.stop()));
      await Promise.all(mailServers.map((server) => server.close()));
      await Promise.all([s3?.close(), pooler?.close()]);
      await client.journal.close();
      if (!redis) await ctx.redis.flushall();
      await closeContext(ctx);
      await redis?.close();
    },
  };
  return rig;
}

async function createDatabase(postgresUrl: string, database: string, checkout?: string): Promise<string> {
  const admin = connectDatabase(postgresUrl, { poolSize: 1 });
  await admin.raw('create database ??', [database]);
  await admin.destroy();
  const url = toDatabaseUrl(postgresUrl, database);
  if (checkout) await runOlderPosthorn(checkout, url, ['db', 'migrate']);
  else await migrateDatabase(url);
  return url;
}
