import type { Redis } from 'ioredis';

/** What `posthorn doctor` reads from Redis. */
export type RedisFacts = {
  /** `standalone`, `cluster` or `sentinel`. */
  readonly mode: string;
  /** `master` or `slave`. */
  readonly role: string;
  readonly version: string;
  readonly evictionPolicy: string;
  readonly isAppendOnly: boolean;
  readonly usedBytes: number;
  /** 0 for no limit. */
  readonly maxBytes: number;
};

export async function readRedisFacts(redis: Redis): Promise<RedisFacts> {
  const text = await redis.info();
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1] ?? '';
  return {
    mode: field('redis_mode'),
    role: field('role'),
    version: field('redis_version'),
    evictionPolicy: field('maxmemory_policy'),
    isAppendOnly: field('aof_enabled') === '1',
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')),
  };
}
