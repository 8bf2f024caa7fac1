import type { Redis } from 'ioredis';

/** `evicts`: Redis may drop keys when it runs out of memory. `full`: Redis has reached its memory limit. */
export type RedisHealth = { readonly reachable: boolean; readonly evicts?: boolean; readonly full?: boolean };

export async function readRedisHealth(redis: Redis): Promise<RedisHealth> {
  try {
    return { reachable: true, ...read(await redis.info('memory')) };
  } catch {
    return { reachable: false };
  }
}

function read(info: string): Pick<RedisHealth, 'evicts' | 'full'> {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '';
  const limit = Number(field('maxmemory'));
  return {
    evicts: field('maxmemory_policy') !== 'noeviction',
    full: limit > 0 && Number(field('used_memory')) >= limit,
  };
}
