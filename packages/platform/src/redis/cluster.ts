import type { ClusterRedis } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { Cluster, type ClusterOptions, Redis } from 'ioredis';
import { askAll, askOptions, askServer, type NodeOptions, readMode, retryStrategy } from './node.js';

/** Finds out that a node has been replaced although it closed no connection. */
const SLOTS_REFRESH_MS = 5_000;
/** While a slot moves, commands whose keys are on both nodes get TRYAGAIN. */
const TRY_AGAIN_MS = 25;
/** All tries together take less time than a command may take. */
const MAX_REDIRECTIONS = 8;

/** What a cluster's client adds so that commands fail fast. */
export const failingFastInCluster: ClusterOptions = {
  enableOfflineQueue: false,
  maxRedirections: MAX_REDIRECTIONS,
  // Commands that a node refused may be sent again. Those that it may have run may not.
  retryDelayOnTryAgain: TRY_AGAIN_MS,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
};

export function connectCluster(
  { nodes }: ClusterRedis,
  { retryStrategy: _, enableOfflineQueue: __, ...redisOptions }: NodeOptions,
  options: ClusterOptions,
): Cluster {
  return new Cluster([...nodes], {
    ...options,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // Keeps the names of hosts, which certificates need, until a connection is opened.
    dnsLookup: (host, callback) => callback(null, host),
    redisOptions,
  });
}

/**
 * Otherwise, commands to a node fail while its connection is being opened. The client's own check before `ready` must not
 * meet such a node.
 */
export function connectToNewNodes(cluster: Cluster): void {
  const connect = (node: Redis) => void node.connect().catch(() => {});
  cluster.on('ready', () => cluster.nodes().forEach(connect));
  cluster.on('+node', (node: Redis) => {
    if (cluster.status === 'ready') connect(node);
  });
}

/** While a node of a cluster is down, only the workspaces and jobs in its slots are affected. */
export function logNodeOutages(cluster: Cluster, log: Log): void {
  const down = new Set<string>();
  cluster.on('node error', (error: Error, node: string) => {
    if (!down.has(node)) log.warn({ error, node }, 'redis_node_unreachable');
    down.add(node);
  });
  cluster.on('+node', (connection: Redis) => {
    const node = `${connection.options.host}:${connection.options.port}`;
    connection.once('ready', () => {
      if (down.delete(node)) log.info({ node }, 'redis_node_back');
    });
  });
}

/** @returns what is wrong with the nodes in a REDIS_URL; null if nothing is */
export async function findClusterFault({ nodes, credentials, tls }: ClusterRedis): Promise<string | null> {
  const modes = await askAll(nodes, async (node) => {
    const redis = new Redis({ ...askOptions, ...node, ...credentials, ...(tls && { tls: {} }) });
    return { node, ...(await askServer(redis, readMode)) };
  });
  const wrong = modes.find(({ mode }) => mode !== 'cluster');
  if (!wrong) return null;
  const { host, port } = wrong.node;
  const what = wrong.mode === 'sentinel' ? 'a Redis Sentinel' : 'a single server';
  return `REDIS_URL names ${host}:${port} as a node of a Redis Cluster, but it is ${what}. Set it to ${wrong.mode === 'sentinel' ? 'redis+sentinel://host:26379/master-name' : `redis://${host}:${port}`}.`;
}
