import { setTimeout as sleep } from 'node:timers/promises';
import { connectBlockingRedis, createLog, type RedisClient } from '@posthorn/domain';
import { serverAddresses } from './server-addresses.js';

/** packages/servers sets `databases 256`. Database 0 holds the set of free databases. */
const MAX_DATABASE = 255;
const FREE_DATABASES_KEY = 'free-databases';
const LEAK_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

export async function addFreeRedisDatabases(redisUrl: string): Promise<void> {
  const numbers = Array.from({ length: MAX_DATABASE }, (_, index) => index + 1);
  await withRedis(redisUrl, (redis) => redis.sadd(FREE_DATABASES_KEY, ...numbers));
}

/** Reserves an empty Redis database for one test. @returns its URL */
export async function acquireRedisDatabase(): Promise<string> {
  const { redisUrl } = serverAddresses();
  const number = await withRedis(redisUrl, (redis) => redis.spop(FREE_DATABASES_KEY));
  if (number === null) throw new Error('All Redis databases are in use. Some tests do not close their contexts.');
  const url = `${redisUrl}/${number}`;
  await withRedis(url, (redis) => redis.flushdb());
  return url;
}

/** @returns one line for each client that the test did not disconnect */
export async function releaseRedisDatabase(databaseUrl: string): Promise<string[]> {
  const number = new URL(databaseUrl).pathname.slice(1);
  return withRedis(serverAddresses().redisUrl, async (redis) => {
    const leaks = await clientsOf(redis, number);
    await redis.sadd(FREE_DATABASES_KEY, number);
    return leaks;
  });
}

async function clientsOf(redis: RedisClient, number: string): Promise<string[]> {
  const deadline = Date.now() + LEAK_TIMEOUT_MS;
  for (;;) {
    const all = String(await redis.client('LIST')).split('\n');
    const clients = all.filter((line) => line.includes(` db=${number} `));
    if (clients.length === 0 || Date.now() > deadline) return clients;
    await sleep(POLL_MS);
  }
}

async function withRedis<Result>(url: string, work: (redis: RedisClient) => Promise<Result>): Promise<Result> {
  const redis = connectBlockingRedis(url, createLog('test', 'silent'));
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
