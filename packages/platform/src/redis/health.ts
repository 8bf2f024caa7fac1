import type { Cluster, Redis } from 'ioredis';

/**
 * `evicts`: Redis may drop keys when it runs out of memory. `full`: Redis has reached its memory limit. A cluster is
 * reachable if one of its masters is, and evicts or is full if one of them does or is.
 */
export type RedisHealth = { readonly reachable: boolean; readonly evicts?: boolean; readonly full?: boolean };

export async function readRedisHealth(redis: RedisClient): Promise<RedisHealth> {
  const servers = isCluster(redis) ? redis.nodes('master') : [redis];
  const replies = await Promise.allSettled(servers.map(async (server) => read(await server.info('memory'))));
  const states = replies.filter((reply) => reply.status === 'fulfilled').map(({ value }) => value);
  if (states.length === 0) return { reachable: false };
  return { reachable: true, evicts: states.some(({ evicts }) => evicts), full: states.some(({ full }) => full) };
}

function read(info: string): Required<Pick<RedisHealth, 'evicts' | 'full'>> {
  const limit = Number(findInfoField(info, 'maxmemory') ?? 0);
  return {
    evicts: findInfoField(info, 'maxmemory_policy') !== 'noeviction',
    full: limit > 0 && Number(findInfoField(info, 'used_memory') ?? 0) >= limit,
  };
}

/** A client of one server, of the master that Sentinels name, or of all masters of a cluster. */
export type RedisClient = Redis | Cluster;

/** Whether a script or a pipeline may only use keys of one slot. */
export function isCluster(redis: RedisClient): redis is Cluster {
  return 'nodes' in redis;
}

/** @returns the value of a field in a reply to INFO; undefined if the reply has no such field */
export function findInfoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
}
