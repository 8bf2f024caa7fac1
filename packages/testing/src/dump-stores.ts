import type { Context } from '@posthorn/platform';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis } from '@posthorn/platform/redis';

/** Every row of every table, as the name of the table and the row as JSON. bytea is in hex. Partitions are tables. */
export async function dumpPostgres({ db }: Pick<Context, 'db'>): Promise<string[]> {
  const { rows: tables } = await db.raw(
    `select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname = 'public' order by relname`,
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.raw('select row_to_json(dumped)::text as row from ?? as dumped', [name]);
    for (const { row } of rows) lines.push(`${name} ${row}`);
  }
  return lines.sort();
}

/** Every key in the Redis database with its value. Its own connection waits as long as a busy machine needs. */
export async function dumpRedis({ config }: Pick<Context, 'config'>): Promise<string[]> {
  const redis = connectBlockingRedis(config.redisUrl, createLog('test', 'silent'));
  try {
    const keys = await redis.keys('*');
    const lines = await Promise.all(keys.map(async (key) => `${key} ${JSON.stringify(await readValue(redis, key))}`));
    return lines.sort();
  } finally {
    redis.disconnect();
  }
}

async function readValue(redis: Context['redis'], key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES');
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      return null;
    default:
      throw new Error(`The key ${key} has a type that is not known here`);
  }
}
