import { join } from 'node:path';
import {
  type Context,
  closeContext,
  connectDatabase,
  migrateDatabase,
  openContext,
  readEnv,
  toConfig,
} from '@posthorn/domain';
import { freePort } from '@posthorn/servers';
import { createTestWorkspace, inDatabase, type TestWorkspace } from '@posthorn/testing';
import { type Client, createClient, newIdempotencyKey, type SendRequest, type SendResponse } from './client.js';
import { type FaultySmtp, startFaultySmtp } from './faulty-smtp.js';
import { openJournal } from './journal.js';
import { type Random, seededRandom } from './seeded-random.js';
import type { Servers } from './servers.js';
import { type SupervisedProcess, startSupervisedProcess } from './supervised-process.js';

/** Short, so that a lost lease costs a scenario seconds instead of a minute. */
export const LEASE_SECONDS = 3;

const SECRET_KEY = 'a secret that is only good for fault runs';

export type RigOptions = {
  readonly apis?: number;
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Hours that the clocks of the first, second ... process of each kind are ahead. */
  readonly clockHours?: { readonly api?: readonly number[]; readonly worker?: readonly number[] };
};

/** Somebody who sends all the time; each of `inFlight` rests for `pauseMs` after an answer. */
export type Load = { readonly inFlight?: number; readonly behaviour?: () => string; readonly pauseMs?: number };

/** A service of its own for one scenario: fresh database, processes, mail server, and somebody who sends. */
export type Rig = {
  readonly name: string;
  readonly canary: string;
  /** What the faults are drawn from; the load has draws of its own, so that their order is the seed's alone. */
  readonly random: Random;
  readonly loadRandom: Random;
  readonly servers: Servers;
  /** Straight to Postgres and Redis, for looking and for preparing. */
  readonly ctx: Context;
  readonly smtp: FaultySmtp;
  readonly apis: readonly SupervisedProcess[];
  readonly workers: readonly SupervisedProcess[];
  readonly tenant: TestWorkspace;
  readonly client: Client;
  /** Times from the end of a fault to the service being useful again, in ms. */
  readonly recoveries: number[];
  /** `Authorization` of the tenant's key, any API, a fresh key, and a recipient who behaves so. */
  requestTo(behaviour: string, more?: Partial<SendRequest>): SendRequest;
  /** Sends with `inFlight` at a time as long as `work` lasts. @returns what `work` does */
  whileSending<T>(work: () => Promise<T>, options?: Load): Promise<T>;
  /** Sends `count` emails with `inFlight` at a time. @returns the last answer of each */
  sendMany(
    count: number,
    options?: { inFlight?: number; behaviour?: string; more?: Partial<SendRequest> },
  ): Promise<SendResponse[]>;
  close(): Promise<void>;
};

export async function openRig(servers: Servers, name: string, seed: number, options: RigOptions = {}): Promise<Rig> {
  const { apis: apiCount = 1, workers: workerCount = 1, env = {}, clockHours = {} } = options;
  const random = seededRandom(seed);
  const loadRandom = seededRandom(seed + 1);
  const canary = `canary-${name}-${seed}`.toLowerCase();
  const database = `rig_${name.toLowerCase()}_${Date.now()}`;
  const databaseUrl = await createDatabase(servers.postgresUrl({ proxied: false }), database);
  const ctx = openContext(
    toConfig(
      readEnv({ DATABASE_URL: databaseUrl, REDIS_URL: servers.redisUrl({ proxied: false }), LOG_LEVEL: 'silent' }),
      'cli',
    ),
    'rig',
  );
  await ctx.redis.ping().catch(() => {});
  const tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  const smtp = await startFaultySmtp(join(servers.folder, `${name}-handoffs.jsonl`));
  const client = createClient(await openJournal<SendResponse>(join(servers.folder, `${name}-answers.jsonl`)), canary);
  const common = {
    DATABASE_URL: inDatabase(servers.postgresUrl({ proxied: true }), database),
    REDIS_URL: servers.redisUrl({ proxied: true }),
    SECRET_KEY,
    RATE_LIMIT_PER_MINUTE: '1000000',
    LEASE_SECONDS: String(LEASE_SECONDS),
    SWEEP_INTERVAL_MS: '250',
    WORKER_CONCURRENCY: '8',
    RETRY_SCHEDULE: '0.5,0.5,1,1,2,2,4,4',
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    ...env,
  };
  const start = async (app: SupervisedProcess['app'], index: number) =>
    startSupervisedProcess({
      app,
      env: common,
      ...(app === 'api' && { port: await freePort() }),
      clockHours: clockHours[app]?.[index] ?? 0,
    });
  const apis = await Promise.all(Array.from({ length: apiCount }, (_, index) => start('api', index)));
  const workers = await Promise.all(Array.from({ length: workerCount }, (_, index) => start('worker', index)));

  let count = 0;
  const rig: Rig = {
    name,
    canary,
    random,
    loadRandom,
    servers,
    ctx,
    smtp,
    apis,
    workers,
    tenant,
    client,
    recoveries: [],
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
      await Promise.all([...apis, ...workers].map((supervised) => supervised.stop()));
      await smtp.close();
      await client.journal.close();
      await ctx.redis.flushall();
      await closeContext(ctx);
    },
  };
  return rig;
}

async function createDatabase(postgresUrl: string, database: string): Promise<string> {
  const admin = connectDatabase(postgresUrl, { poolSize: 1 });
  await admin.raw('create database ??', [database]);
  await admin.destroy();
  const url = inDatabase(postgresUrl, database);
  await migrateDatabase(url);
  return url;
}
