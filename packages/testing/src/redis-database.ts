import { setTimeout as sleep } from 'node:timers/promises';
import { connectBlockingRedis, createLog } from '@posthorn/domain';
import { serverAddresses } from './server-addresses.js';

/** `databases 256` of packages/servers, less database 0, which keeps the list of free ones. */
const HIGHEST_DATABASE = 255;
const FREE_LIST = 'free-databases';
const LEAK_PATIENCE_MS = 1_000;
const POLL_MS = 20;

type RedisClient = ReturnType<typeof connectBlockingRedis>;

export async function fillRedisDatabases(redisUrl: string): Promise<void> {
  const numbers = Array.from({ length: HIGHEST_DATABASE }, (_, index) => index + 1);
  await withRedis(redisUrl, (redis) => redis.sadd(FREE_LIST, ...numbers));
}

/** An empty database that no other test process uses. @returns its address */
export async function takeRedisDatabase(): Promise<string> {
  const { redisUrl } = serverAddresses();
  const number = await withRedis(redisUrl, (redis) => redis.spop(FREE_LIST));
  if (number === null) throw new Error('Every Redis database is in use: some tests do not close their contexts.');
  const url = `${redisUrl}/${number}`;
  await withRedis(url, (redis) => redis.flushdb());
  return url;
}

/** @returns one line for each client that a test left open; nobody should be connected any more */
export async function returnRedisDatabase(databaseUrl: string): Promise<string[]> {
  const number = new URL(databaseUrl).pathname.slice(1);
  return withRedis(serverAddresses().redisUrl, async (redis) => {
    const leaks = await clientsOf(redis, number);
    await redis.sadd(FREE_LIST, number);
    return leaks;
  });
}

async function clientsOf(redis: RedisClient, number: string): Promise<string[]> {
  const deadline = Date.now() + LEAK_PATIENCE_MS;
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
