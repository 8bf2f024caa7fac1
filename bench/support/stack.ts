import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Context,
  createKey,
  createWorkspace,
  migrateDatabase,
  openContext,
  readEnv,
  setWorkspaceLimits,
  toConfig,
} from '@posthorn/domain';
import { startPostgres, startRedis } from '@posthorn/servers';
import { cpuSecondsOfTree } from './cpu.js';

/** Durable Postgres and Redis of their own, a Pro workspace that nothing limits, and a key. */
export type Stack = {
  readonly env: NodeJS.ProcessEnv;
  readonly ctx: Context;
  readonly workspaceId: string;
  readonly key: string;
  /** Who may log in. */
  readonly owner: { readonly email: string; readonly password: string };
  /** Processor time that the servers have used, those of their processes that have ended included. */
  cpuSeconds(): { readonly postgres: number; readonly redis: number };
  readonly versions: { readonly postgres: string; readonly redis: string };
  close(): Promise<void>;
};

const RATE = '1000000000';

/** Of the stacks that are open: a bench that fails would leave gigabytes behind. */
const folders = new Set<string>();
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export async function openStack(): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'));
  folders.add(folder);
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: LOG_SIZE });
  const redis = await startRedis({ dataDir: join(folder, 'redis'), persistent: true });
  const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: RATE, LOG_LEVEL: 'info' };
  const ctx = openContext(toConfig(readEnv({ ...env, LOG_LEVEL: 'silent' }), 'api'), 'bench');
  await migrateDatabase(postgres.url);
  await ageLog(ctx);
  const { workspaceId, key, owner } = await openWorkspace(ctx, 'bench');
  return {
    env,
    ctx,
    workspaceId,
    key,
    owner,
    cpuSeconds: () => ({ postgres: cpuSecondsOfTree(postgres.pid), redis: cpuSecondsOfTree(redis.pid) }),
    versions: await versionsOf(ctx),
    async close() {
      ctx.redis.disconnect();
      await ctx.db.destroy();
      await redis.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}

async function versionsOf({ db, redis }: Context): Promise<Stack['versions']> {
  const { rows } = await db.raw('show server_version');
  const [, version = ''] = /redis_version:(\S+)/.exec(await redis.info('server')) ?? [];
  return { postgres: rows[0].server_version, redis: version };
}

/** `max_wal_size`, 1 GB unless set, says when a checkpoint is due: it stays, so they come as often as in production. */
const LOG_SIZE = { min_wal_size: '1GB' };
/** As many as `min_wal_size` keeps. */
const SEGMENTS = 64;

/**
 * Makes the files of the write-ahead log, which Postgres takes again and again once it has run for a while.
 * In a new cluster everybody waits for some 60 ms at every 16 MB, until the next of them is made.
 */
async function ageLog({ db }: Context): Promise<void> {
  for (let segment = 0; segment < SEGMENTS; segment += 1)
    await db.raw("select pg_logical_emit_message(false, '', ''), pg_switch_wal()");
  await db.raw('checkpoint');
}

/** A Pro workspace that nothing limits, its owner and a key that sends. */
export async function openWorkspace(ctx: Context, name: string) {
  const owner = { email: `${name}@example.com`, password: 'a password for the bench' };
  const { workspaceId } = await createWorkspace(ctx, { name, planId: 'pro', ...owner });
  await setWorkspaceLimits(ctx, workspaceId, { monthly: null, daily: null });
  const { text: key } = await createKey(ctx, workspaceId, { name, scopes: ['emails:send'], expiresAt: null });
  return { workspaceId, key, owner };
}
