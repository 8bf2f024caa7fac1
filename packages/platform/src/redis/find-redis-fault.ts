import { parseRedisUrl } from '@posthorn/platform/config';
import { Redis } from 'ioredis';
import { findClusterFault } from './cluster.js';
import { askOptions, askServer, type Mode, readMode } from './node.js';
import { findSentinelFault } from './sentinel.js';

/**
 * Asks the servers in a REDIS_URL whether they are what the URL says. A node of a cluster behind a plain URL would refuse
 * two of three commands, and only some limits would hold; everything on a replica would be refused.
 * @returns what is wrong and what to do, as a sentence; null if nothing is
 * @throws Error if no server can be reached
 */
export async function findRedisFault(url: string): Promise<string | null> {
  const servers = parseRedisUrl(url);
  if (servers?.kind === 'sentinel') return findSentinelFault(servers);
  if (servers?.kind === 'cluster') return findClusterFault(servers);
  return describeSingleFault(await askServer(new Redis(url, askOptions), readMode));
}

function describeSingleFault({ mode, role }: Mode): string | null {
  if (mode === 'cluster')
    return 'REDIS_URL leads to a node of a Redis Cluster. Set it to redis+cluster://host:6379, with one or more of the nodes.';
  if (mode === 'sentinel')
    return 'REDIS_URL leads to a Redis Sentinel. Set it to redis+sentinel://host:26379/master-name, with one or more of the Sentinels.';
  if (role === 'slave')
    return 'REDIS_URL leads to a replica, and what is written there is refused or lost. Set it to the address of the master, or let Sentinels find the master: redis+sentinel://host:26379/master-name.';
  return null;
}
