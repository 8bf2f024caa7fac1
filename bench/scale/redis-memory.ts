import { setTimeout as sleep } from 'node:timers/promises';
import { email, refill } from './refill.js';
import { type Load, load, type Service } from './service.js';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.js';

const ONE_BY_ONE = 1_000;
/** Leaves time for the API to add delivery jobs, which it does after it has responded. */
const JOBS_ADDED_MS = 500;

/** Bytes of Redis memory per waiting email, in several rounds. */
export type RedisMemory = { readonly underLoad: number[]; readonly oneByOne: number[] };

export async function measureRedisMemory(service: Service): Promise<RedisMemory> {
  const memory: RedisMemory = { underLoad: [], oneByOne: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    memory.underLoad.push(await bytesPerWaitingEmail(service, { connections: CONNECTIONS, duration: SECONDS }));
    memory.oneByOne.push(await bytesPerWaitingEmail(service, { connections: 1, amount: ONE_BY_ONE }));
  }
  return memory;
}

/** Starts with an empty Redis, so the figure includes shared data such as BullMQ's stream of 10,000 events. */
async function bytesPerWaitingEmail(service: Service, extent: Load): Promise<number> {
  const { redis } = service.stack.ctx;
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await refill(service.stack, 0);
  const before = await used();
  const accepted = await load(service, email, extent);
  await sleep(JOBS_ADDED_MS);
  return ((await used()) - before) / accepted;
}
