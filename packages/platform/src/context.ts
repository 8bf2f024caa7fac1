import { type Config, DEVELOPMENT_SECRET } from '@posthorn/platform/config';
import { createLog, type Log } from '@posthorn/platform/logs';
import { createObjectStore, type ObjectStore } from '@posthorn/platform/object-store';
import { connectDatabase, createIncarnation, type Db, type Incarnation } from '@posthorn/platform/postgres';
import { connectRedis, type RedisClient } from '@posthorn/platform/redis';
import { connectReplica, type Replica } from '@posthorn/platform/replica';
import { startTracer, type Tracer } from '@posthorn/platform/traces';

/** What every process needs. It is built once at startup and passed as the first argument. */
export type Context = {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  /** A standby for reads of lists and exports (see replica/replica.ts); null if there is none. */
  readonly replica: Replica | null;
  readonly redis: RedisClient;
  readonly incarnation: Incarnation;
  /** null if the content of attachments is stored in Postgres. */
  readonly objects: ObjectStore | null;
  /** Null if tracing is off. */
  readonly tracer: Tracer | null;
  now(): Date;
};

/**
 * Opens the connections. Postgres and Redis may still be down, because each client reconnects by itself.
 * @param app the name of the process in its log lines
 * @param parts the clock and the log that a test uses instead, an incarnation that has already been read, and a tracer
 */
export function openContext(
  config: Config,
  app: string,
  parts: Partial<Pick<Context, 'incarnation' | 'log' | 'now' | 'tracer'>> = {},
): Context {
  const log = parts.log ?? createLog(app, config.logLevel);
  if (config.secretKey === DEVELOPMENT_SECRET) log.warn({}, 'secret_key_is_the_public_default');
  const db = connectDatabase(config.databaseUrl, { poolMode: config.databasePoolMode });
  return {
    config,
    log,
    now: parts.now ?? (() => new Date()),
    db,
    replica: connectReplica(config),
    redis: connectRedis(config.redisUrl, log),
    incarnation: parts.incarnation ?? createIncarnation(db),
    objects: createObjectStore(config.blobStore),
    tracer: parts.tracer ?? null,
  };
}

/** Opens a context that records traces, if tracing is on. @throws ConfigError as `startTracer` */
export async function openTracedContext(config: Config, app: string): Promise<Context> {
  const log = createLog(app, config.logLevel);
  return openContext(config, app, { log, tracer: await startTracer(config, log) });
}

export async function closeContext(ctx: Context): Promise<void> {
  await ctx.tracer?.close();
  ctx.redis.disconnect();
  await ctx.replica?.db.destroy();
  await ctx.db.destroy();
}
