import { infoField, type RedisClient } from '@posthorn/platform/redis';

/** What `posthorn doctor` reads from Redis; in a cluster, from one of its nodes. */
export type RedisFacts = {
  readonly version: string;
  readonly evictionPolicy: string;
  readonly isAppendOnly: boolean;
  readonly usedBytes: number;
  /** 0 for no limit. */
  readonly maxBytes: number;
};

export async function readRedisFacts(redis: RedisClient): Promise<RedisFacts> {
  const text = await redis.info();
  const field = (name: string) => infoField(text, name) ?? '';
  return {
    version: field('redis_version'),
    evictionPolicy: field('maxmemory_policy'),
    isAppendOnly: field('aof_enabled') === '1',
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')),
  };
}
