import { EXPECTED_REDIS_URL, parseRedisUrl, type RedisServers } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { isCluster, type RedisClient, readRedisHealth } from './health.js';

const COMMAND_TIMEOUT_MS = 300;
/** A server that sent nothing for this long is given up, because a machine that vanished closes no connections. */
const SILENCE_MS = 2_000;
/** BullMQ's blocking commands wait for up to 10 s. */
const BLOCKING_SILENCE_MS = 15_000;
/** Finds out that a node has been replaced although it closed no connection. */
const SLOTS_REFRESH_MS = 5_000;
/** While a slot moves, commands whose keys are on both nodes get TRYAGAIN. */
const TRY_AGAIN_MS = 25;
/** All tries together take less time than a command may take. */
const MAX_REDIRECTIONS = 8;

const retryStrategy = (times: number) => Math.min(times * 100, 1_000);

/**
 * How a client behaves, in all three kinds of deployment.
 * @property node for each connection
 * @property cluster for what a cluster's client adds to that
 */
type Behaviour = { readonly node: NodeOptions; readonly cluster: ClusterOptions };

type NodeOptions = Omit<RedisOptions, 'replyMapping'>;

const common: NodeOptions = {
  connectTimeout: 1_000,
  sentinelCommandTimeout: 1_000,
  retryStrategy,
  sentinelRetryStrategy: retryStrategy,
};

const failingFast: Behaviour = {
  node: {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
  },
  cluster: {
    enableOfflineQueue: false,
    maxRedirections: MAX_REDIRECTIONS,
    // Commands that a node refused may be sent again. Those that it may have run may not.
    retryDelayOnTryAgain: TRY_AGAIN_MS,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  },
};

const blocking: Behaviour = {
  node: { ...common, autoResubscribe: false, maxRetriesPerRequest: null, socketTimeout: BLOCKING_SILENCE_MS },
  cluster: {},
};

/**
 * A connection whose commands fail fast, because requests wait for them. Commands are not queued while Redis is
 * unreachable, and none is sent twice. By default, ioredis would resend commands, which could run a script a second
 * time.
 */
export function connectRedis(url: string, log: Log): RedisClient {
  const redis = open(url, failingFast, log);
  logOutages(redis, log);
  redis.on('ready', () => void warnOfEviction(redis, log));
  if (isCluster(redis)) connectToNewNodes(redis);
  return redis;
}

/**
 * A connection for blocking commands and subscriptions, which wait for Redis to come back. Subscribe on each `ready`:
 * if the client subscribed again by itself and Redis refused, the unhandled rejection would end the process.
 */
export function connectBlockingRedis(url: string, log: Log): RedisClient {
  const redis = open(url, blocking, log);
  logOutages(redis, log);
  return redis;
}

/** @throws Error if the URL is not valid */
function open(url: string, behaviour: Behaviour, log: Log): RedisClient {
  const servers = parseRedisUrl(url);
  if (servers === null) throw new Error(`The URL of Redis must be ${EXPECTED_REDIS_URL}`);
  const node = { ...behaviour.node, reconnectOnError: (error: Error) => isReplica(error, log) };
  if (servers.kind === 'single') return new Redis(servers.url, node);
  const { credentials, tls } = servers;
  const withLogin = { ...node, ...credentials, ...(tls && { tls: {} }) };
  return servers.kind === 'cluster'
    ? openCluster(servers, withLogin, behaviour.cluster)
    : openSentinel(servers, withLogin);
}

/** A master that became a replica keeps its connections, so the client has to leave it. */
function isReplica(error: Error, log: Log): boolean {
  if (!/^(READONLY|UNBLOCKED) /.test(error.message)) return false;
  log.warn({ error }, 'redis_is_a_replica');
  return true;
}

function openSentinel(servers: Extract<RedisServers, { kind: 'sentinel' }>, node: NodeOptions): Redis {
  const { sentinels, masterName, sentinelCredentials, db, tls } = servers;
  return new Redis({
    ...node,
    sentinels: [...sentinels],
    name: masterName,
    db,
    ...sentinelCredentials,
    ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

function openCluster(
  { nodes }: Extract<RedisServers, { kind: 'cluster' }>,
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
function connectToNewNodes(cluster: Cluster): void {
  const connect = (node: Redis) => void node.connect().catch(() => {});
  cluster.on('ready', () => cluster.nodes().forEach(connect));
  cluster.on('+node', (node: Redis) => {
    if (cluster.status === 'ready') connect(node);
  });
}

/** The service keeps working if keys are evicted, because Postgres has every record, but it becomes slower. */
async function warnOfEviction(redis: RedisClient, log: Log): Promise<void> {
  const { evicts } = await readRedisHealth(redis);
  if (evicts) log.warn({ set: 'maxmemory-policy noeviction' }, 'redis_may_evict');
}

/** Logs one line when Redis becomes unreachable and one when it is back, however often the client retries. */
function logOutages(redis: RedisClient, log: Log): void {
  let isReachable = true;
  const logOutage = (error: Error) => {
    if (isReachable) log.warn({ error }, 'redis_unreachable');
    isReachable = false;
  };
  redis.on('error', logOutage);
  redis.on('ready', () => {
    if (!isReachable) log.info({}, 'redis_back');
    isReachable = true;
  });
  if (!isCluster(redis)) return;
  // Nodes may be reachable although the cluster cannot be used. The client then reports no error.
  redis.on('reconnecting', () => logOutage(new Error('The cluster is not ready. See cluster_state in CLUSTER INFO')));
  logNodeOutages(redis, log);
}

/** While a node of a cluster is down, only the workspaces and jobs in its slots are affected. */
function logNodeOutages(cluster: Cluster, log: Log): void {
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
