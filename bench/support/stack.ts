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

/** Durable Postgres and Redis of their own, a Pro workspace that nothing limits, and a key. */
export type Stack = {
  readonly env: NodeJS.ProcessEnv;
  readonly ctx: Context;
  readonly workspaceId: string;
  readonly key: string;
  /** Who may log in. */
  readonly owner: { readonly email: string; readonly password: string };
  readonly pids: { readonly postgres: number; readonly redis: number };
  close(): Promise<void>;
};

const RATE = '1000000000';

export async function openStack(): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'));
  // A bench that fails would leave gigabytes behind.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
  const redis = await startRedis({ dataDir: join(folder, 'redis'), persistent: true });
  const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: RATE, LOG_LEVEL: 'info' };
  const ctx = openContext(toConfig(readEnv({ ...env, LOG_LEVEL: 'silent' }), 'api'), 'bench');
  await migrateDatabase(postgres.url);
  const { workspaceId, key, owner } = await openWorkspace(ctx, 'bench');
  return {
    env,
    ctx,
    workspaceId,
    key,
    owner,
    pids: { postgres: postgres.pid, redis: redis.pid },
    async close() {
      ctx.redis.disconnect();
      await ctx.db.destroy();
      await redis.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A Pro workspace that nothing limits, its owner and a key that sends. */
export async function openWorkspace(ctx: Context, name: string) {
  const owner = { email: `${name}@example.com`, password: 'a password for the bench' };
  const { workspaceId } = await createWorkspace(ctx, { name, planId: 'pro', ...owner });
  await setWorkspaceLimits(ctx, workspaceId, { monthly: null, daily: null });
  const { text: key } = await createKey(ctx, workspaceId, { name, scopes: ['emails:send'], expiresAt: null });
  return { workspaceId, key, owner };
}
