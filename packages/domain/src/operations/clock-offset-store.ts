import type { Db } from '@posthorn/platform/postgres';
import type { RedisClient } from '@posthorn/platform/redis';

/** By how many milliseconds a server's clock is ahead of this machine's. The time of the request is halved. */
export async function clockOffsetOfPostgres(db: Db): Promise<number> {
  return offsetOf(async () => {
    const { rows } = await db.raw('select extract(epoch from clock_timestamp())::float * 1000 as now');
    return rows[0].now;
  });
}

export async function clockOffsetOfRedis(redis: RedisClient): Promise<number> {
  return offsetOf(async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  });
}

async function offsetOf(read: () => Promise<number>): Promise<number> {
  // The first request may have to connect.
  await read();
  const before = Date.now();
  const theirs = await read();
  return theirs - (before + Date.now()) / 2;
}
