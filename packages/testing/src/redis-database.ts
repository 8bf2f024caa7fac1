import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis, type RedisClient } from '@posthorn/platform/redis';
import { closeAtRunEnd, getServerAddresses } from './test-run.js';
import { untilNone } from './until.js';

/** packages/servers sets `databases 256`. The connection below uses database 0. */
const MAX_DATABASE = 255;

const free = Array.from({ length: MAX_DATABASE }, (_, index) => index + 1);

/** Reserves an empty Redis database for one test. @returns its URL */
export async function acquireRedisDatabase(): Promise<string> {
  const number = free.pop();
  if (number === undefined) throw new Error('All Redis databases are in use. Some tests do not close their contexts.');
  await getConnection().multi().select(number).flushdb().select(0).exec();
  return `${getServerAddresses().redisUrl}/${number}`;
}

/** @returns one line for each client that the test did not disconnect */
export async function releaseRedisDatabase(databaseUrl: string): Promise<string[]> {
  const number = new URL(databaseUrl).pathname.slice(1);
  const leaks = await untilNone(() => listClients(number));
  free.push(Number(number));
  return leaks;
}

async function listClients(number: string): Promise<string[]> {
  const all = String(await getConnection().client('LIST')).split('\n');
  return all.filter((line) => line.includes(` db=${number} `));
}

let redis: RedisClient | undefined;

/** The worker's one connection for reserving and releasing databases. */
function getConnection(): RedisClient {
  redis ??= connect();
  return redis;
}

function connect(): RedisClient {
  const client = connectBlockingRedis(getServerAddresses().redisUrl, createLog('test', 'silent'));
  closeAtRunEnd(async () => client.disconnect());
  return client;
}
