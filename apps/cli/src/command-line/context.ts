import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { type Config, ConfigError, type Env, readEnv, toConfig } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { connectDatabase } from '@posthorn/platform/postgres';
import { connectRedis, findRedisFault, type RedisClient } from '@posthorn/platform/redis';
import { isId } from '@posthorn/platform/values';
import { CliError, notFound } from './errors.js';
import type { Result } from './print.js';

/** `npm start` writes this file when it is ready and deletes it when it stops. */
const RUNTIME_FILE = '.posthorn/runtime.json';

/** The SECRET_KEY of `npm start`. Commands that create a DKIM key need it. */
const SECRET_KEY_FILE = '.posthorn/secret-key';

/**
 * The context of a command. It has no Redis client, because few commands need one.
 * @property env the variables that are set, which `config` completes with defaults
 */
export type CliContext = Pick<Context, 'config' | 'db' | 'now'> & { readonly env: Env };

/**
 * Opens a context for one action, prints what the action returns, and closes the context. An action that prints for
 * itself returns null.
 */
export type RunAction = (action: (ctx: CliContext) => Promise<Result | null>) => Promise<void>;

/** @throws CliError when DATABASE_URL is missing or a variable is invalid */
export function openCliContext(variables: NodeJS.ProcessEnv): CliContext {
  const env = readEnv(variables);
  const config = readConfig(env);
  return {
    config,
    env,
    db: connectDatabase(config.databaseUrl, { poolMode: config.databasePoolMode }),
    now: () => new Date(),
  };
}

/**
 * Completes the environment. If DATABASE_URL or REDIS_URL is not set, its value comes from the `npm start` that is running
 * in this folder, if any.
 */
function readConfig(env: Env): Config {
  const local = readLocalService();
  try {
    return toConfig(
      {
        ...env,
        DATABASE_URL: env.DATABASE_URL ?? local.database_url,
        REDIS_URL: env.REDIS_URL ?? local.redis_url,
        // Each database has its own SECRET_KEY, so the local one is used only with the local database.
        SECRET_KEY: env.SECRET_KEY ?? (env.DATABASE_URL === undefined ? readLocalSecretKey() : undefined),
      },
      'cli',
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CliError(
      'configuration',
      `${error.faults.join(' ')} You can also run this command in the folder where npm start is running.`,
    );
  }
}

type LocalService = {
  database_url?: string;
  redis_url?: string;
  smtp_url?: string;
  api_url?: string;
  api_key?: string;
};

/** Where the `npm start` of this folder is; empty if none is running. */
export function readLocalService(): LocalService {
  try {
    return JSON.parse(readFileSync(RUNTIME_FILE, 'utf8'));
  } catch {
    return {};
  }
}

function readLocalSecretKey(): string | undefined {
  try {
    return readFileSync(SECRET_KEY_FILE, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` with a connection that is ready. The API and the worker go on without Redis, but this fails at once.
 * @throws CliError if Redis cannot be reached or is not what REDIS_URL says
 */
export async function withRedis<Result>(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  work: (redis: RedisClient) => Promise<Result>,
): Promise<Result> {
  if (redisUrl === '')
    throw new CliError('configuration', 'REDIS_URL is missing. Set it to the URL that the API and the worker use.');
  const fault = await findRedisFault(redisUrl).catch(unavailable);
  if (fault !== null) throw new CliError('configuration', fault);
  const redis = connectRedis(redisUrl, createLog('cli', 'silent'));
  try {
    await once(redis, 'ready').catch(unavailable);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

function unavailable(error: unknown): never {
  throw new CliError('unavailable', `Cannot connect to Redis: ${(error as Error).message}`);
}

/** @throws CliError not_found */
export async function assertWorkspaceExists({ db, config }: CliContext, id: string): Promise<void> {
  const workspace = isId(id) ? await findWorkspace(db, id, config.rateLimitPerMinute) : null;
  if (!workspace) throw notFound('workspace', id);
}
