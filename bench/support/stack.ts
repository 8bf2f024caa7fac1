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
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    ...(process.env.PGSS
      ? {
          settings: {
            shared_preload_libraries: 'pg_stat_statements,auto_explain',
            'auto_explain.log_min_duration': 0,
            'auto_explain.log_analyze': 'on',
            'auto_explain.sample_rate': 0.01,
            'pg_stat_statements.track_planning': 'on',
          },
        }
      : {}),
  });
  const redis = await startRedis({ dataDir: join(folder, 'redis'), persistent: true });
  const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: RATE, LOG_LEVEL: 'info' };
  const ctx = openContext(toConfig(readEnv({ ...env, LOG_LEVEL: 'silent' }), 'api'), 'bench');
  await migrateDatabase(postgres.url);
  const owner = {
    name: 'Bench',
    email: 'bench@example.com',
    password: 'a password for the bench',
    planId: 'pro' as const,
  };
  const { workspaceId } = await createWorkspace(ctx, owner);
  await setWorkspaceLimits(ctx, workspaceId, { monthly: null, daily: null });
  const { text: key } = await createKey(ctx, workspaceId, { name: 'Bench', scopes: ['emails:send'], expiresAt: null });
  return {
    env,
    ctx,
    workspaceId,
    key,
    owner: { email: owner.email, password: owner.password },
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
