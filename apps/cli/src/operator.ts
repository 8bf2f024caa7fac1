import { readFileSync } from 'node:fs';
import { type Config, ConfigError, type Context, connectDatabase, readEnv, toConfig } from '@posthorn/domain';
import { CommandFailure } from './failure.js';

/** Written by the local service for as long as it runs. */
const RUNTIME_FILE = '.posthorn/runtime.json';

/** Its SECRET_KEY, which some commands need to make a key. */
const SECRET_FILE = '.posthorn/secret-key';

/** What a command works with. Redis is not among it: only `queue status` needs it. */
export type Operator = Pick<Context, 'config' | 'db' | 'now'>;

/** @throws CommandFailure when no database is named */
export function openOperator(): Operator {
  const config = operatorConfig();
  return { config, db: connectDatabase(config.databaseUrl), now: () => new Date() };
}

/** The environment's settings; addresses it does not name are those of a local service started in this folder. */
function operatorConfig(): Config {
  const env = readEnv();
  const local = localAddresses();
  try {
    return toConfig(
      {
        ...env,
        DATABASE_URL: env.DATABASE_URL ?? local.database_url,
        REDIS_URL: env.REDIS_URL ?? local.redis_url,
        // The secret of the local service is for the local database alone.
        SECRET_KEY: env.SECRET_KEY ?? (env.DATABASE_URL === undefined ? localSecret() : undefined),
      },
      'cli',
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandFailure(
      'configuration',
      `${error.faults.join(' ')} Set it, or run this in the folder of a local service that is running.`,
    );
  }
}

function localAddresses(): { database_url?: string; redis_url?: string } {
  try {
    return JSON.parse(readFileSync(RUNTIME_FILE, 'utf8'));
  } catch {
    return {};
  }
}

function localSecret(): string | undefined {
  try {
    return readFileSync(SECRET_FILE, 'utf8').trim();
  } catch {
    return undefined;
  }
}
