import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspace, hashPassword } from '@posthorn/domain/accounts';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { migrateDatabase } from '@posthorn/domain/schema';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { type Context, openContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import type { Db } from '@posthorn/platform/postgres';
import { startPostgres, startRedis } from '@posthorn/servers';
import { cpuSecondsOfTree } from './cpu.js';

/** A durable Postgres and Redis for one benchmark, with an unlimited Pro workspace and an API key. */
export type Stack = {
  readonly env: NodeJS.ProcessEnv;
  readonly ctx: Context;
  readonly workspaceId: string;
  readonly key: string;
  /** CPU time of the servers in seconds, including processes that have ended. */
  cpuSeconds(): { readonly postgres: number; readonly redis: number };
  readonly versions: { readonly postgres: string; readonly redis: string };
  close(): Promise<void>;
};

const RATE_LIMIT = '1000000000';

/** Folders of open stacks. They are deleted on exit, because a failed bench would leave gigabytes behind. */
const folders = new Set<string>();
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export async function openStack(): Promise<Stack> {
  const servers = await openServers();
  const { env } = servers;
  const ctx = openContext(toConfig(readEnv({ ...env, LOG_LEVEL: 'silent' }), 'api'), 'bench');
  await migrateDatabase(env.DATABASE_URL);
  await ctx.incarnation.read();
  await preallocateWal(ctx.db);
  const { workspaceId, key } = await openWorkspace(ctx, 'bench');
  return {
    env,
    ctx,
    workspaceId,
    key,
    cpuSeconds: servers.cpuSeconds,
    versions: await readVersions(ctx),
    async close() {
      ctx.redis.disconnect();
      await ctx.db.destroy();
      await servers.close();
    },
  };
}

/** A durable Postgres and Redis that nothing has used yet, and the settings that lead to them. @param settings of Postgres */
export async function openServers(settings: Readonly<Record<string, string | number>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'));
  folders.add(folder);
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    settings: { ...WAL_SETTINGS, ...settings },
  });
  const redis = await startRedis({ dataDir: join(folder, 'redis'), persistent: true });
  return {
    env: {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
      LOG_LEVEL: 'info',
    },
    postgresLog: postgres.logFile,
    cpuSeconds: () => ({ postgres: cpuSecondsOfTree(postgres.pid), redis: cpuSecondsOfTree(redis.pid) }),
    async close() {
      await redis.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}

async function readVersions({ db, redis }: Context): Promise<Stack['versions']> {
  const { rows } = await db.raw('show server_version');
  const [, version = ''] = /redis_version:(\S+)/.exec(await redis.info('server')) ?? [];
  return { postgres: rows[0].server_version, redis: version };
}

/** `max_wal_size` keeps its default of 1 GB, so that checkpoints are as frequent as in production. */
const WAL_SETTINGS = { min_wal_size: '1GB' };
/** As many segments as `min_wal_size` keeps. */
const WAL_SEGMENTS = 64;

/**
 * Creates the files of the write-ahead log in advance. A Postgres that has run for a while reuses them. In a new
 * cluster, all transactions wait for about 60 ms after every 16 MB, until the next file has been created.
 */
export async function preallocateWal(db: Db): Promise<void> {
  for (let segment = 0; segment < WAL_SEGMENTS; segment += 1)
    await db.raw("select pg_logical_emit_message(false, '', ''), pg_switch_wal()");
  await db.raw('checkpoint');
}

/** Creates an unlimited Pro workspace, with an owner and an API key for sending. */
export async function openWorkspace(ctx: Context, name: string) {
  const owner = { email: `${name}@example.com`, password: 'a password for the bench' };
  const passwordHash = await hashPassword(owner.password, name);
  const { workspaceId } = await createWorkspace(ctx, { name, email: owner.email, passwordHash, planId: 'pro' });
  await setWorkspaceLimits(ctx, operator, workspaceId, { monthly: null, daily: null });
  const { text: key } = await createKey(ctx, operator, workspaceId, { name, scopes: ['emails:send'], expiresAt: null });
  return { workspaceId, key, owner };
}
