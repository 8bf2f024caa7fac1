import type { Cluster, Redis } from 'ioredis';

/**
 * `evicts`: Redis may drop keys when it runs out of memory. `full`: Redis has reached its memory limit. A cluster is
 * reachable if one of its masters is, and evicts or is full if one of them does or is.
 */
export type RedisHealth = { readonly reachable: boolean; readonly evicts?: boolean; readonly full?: boolean };

export async function readRedisHealth(redis: Redis | Cluster): Promise<RedisHealth> {
  const servers = 'nodes' in redis ? redis.nodes('master') : [redis];
  const replies = await Promise.allSettled(servers.map(async (server) => read(await server.info('memory'))));
  const states = replies.filter((reply) => reply.status === 'fulfilled').map(({ value }) => value);
  if (states.length === 0) return { reachable: false };
  return { reachable: true, evicts: states.some(({ evicts }) => evicts), full: states.some(({ full }) => full) };
}

function read(info: string): Required<Pick<RedisHealth, 'evicts' | 'full'>> {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '';
  const limit = Number(field('maxmemory'));
  return {
    evicts: field('maxmemory_policy') !== 'noeviction',
    full: limit > 0 && Number(field('used_memory')) >= limit,
  };
}
