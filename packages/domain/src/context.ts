import { type ObjectStore, openObjectStore } from './attachments/object-store.js';
import { type Config, DEVELOPMENT_SECRET } from './config/config.js';
import { connectDatabase, type Db } from './database/connect.js';
import { createLog } from './logging/create-log.js';
import type { Log } from './logging/log.js';
import { connectRedis, type RedisClient } from './redis/connect.js';
import { type RecordKeys, recordKeys } from './redis/keys.js';
import { openReplica, type Replica } from './replica/replica.js';
import { type Incarnation, openIncarnation } from './restores/incarnation.js';

/** What every process needs. It is built once at startup and passed as the first argument. */
export type Context = {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  /** A standby for reads of lists and exports (see replica/replica.ts); null if there is none. */
  readonly replica: Replica | null;
  readonly redis: RedisClient;
  readonly incarnation: Incarnation;
  readonly recordKeys: RecordKeys;
  /** null if the content of attachments is stored in Postgres. */
  readonly objects: ObjectStore | null;
  now(): Date;
};

/**
 * Opens the connections. Postgres and Redis may still be down, because each client reconnects by itself.
 * @param app the name of the process in its log lines
 * @param doubles the clock and the log that a test uses instead, and an incarnation that has already been read
 */
export function openContext(
  config: Config,
  app: string,
  doubles: Partial<Pick<Context, 'incarnation' | 'log' | 'now'>> = {},
): Context {
  const log = doubles.log ?? createLog(app, config.logLevel);
  if (config.secretKey === DEVELOPMENT_SECRET) log.warn({}, 'secret_key_is_the_public_default');
  const db = connectDatabase(config.databaseUrl);
  const incarnation = doubles.incarnation ?? openIncarnation(db);
  return {
    config,
    log,
    now: doubles.now ?? (() => new Date()),
    db,
    replica: openReplica(config.databaseReplicaUrl),
    redis: connectRedis(config.redisUrl, log),
    incarnation,
    recordKeys: recordKeys(incarnation.id),
    objects: openObjectStore(config.blobStore),
  };
}

export async function closeContext(ctx: Context): Promise<void> {
  ctx.redis.disconnect();
  await ctx.replica?.db.destroy();
  await ctx.db.destroy();
}
