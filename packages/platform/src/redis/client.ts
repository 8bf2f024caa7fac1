import type { Cluster, Redis } from 'ioredis';

/** A client of one server, of the master that Sentinels name, or of all masters of a cluster. */
export type RedisClient = Redis | Cluster;

/** Whether a script or a pipeline may only use keys of one slot. */
export function isCluster(redis: RedisClient): redis is Cluster {
  return 'nodes' in redis;
}
