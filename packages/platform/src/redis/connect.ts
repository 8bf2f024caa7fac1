import { EXPECTED_REDIS_URL, parseRedisUrl } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { type ClusterOptions, Redis } from 'ioredis';
import { connectCluster, connectToNewNodes, failingFastInCluster, logNodeOutages } from './cluster.js';
import { isCluster, type RedisClient, readRedisHealth } from './health.js';
import { type NodeOptions, retryStrategy } from './node.js';
import { connectSentinel } from './sentinel.js';

const COMMAND_TIMEOUT_MS = 300;
/** A server that sent nothing for this long is given up, because a machine that vanished closes no connections. */
const SILENCE_MS = 2_000;
/** BullMQ's blocking commands wait for up to 10 s. */
const BLOCKING_SILENCE_MS = 15_000;

/**
 * How a client behaves, in all three kinds of deployment.
 * @property node for each connection
 * @property cluster for what a cluster's client adds to that
 */
type Behaviour = { readonly node: NodeOptions; readonly cluster: ClusterOptions };

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
  cluster: failingFastInCluster,
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
    ? connectCluster(servers, withLogin, behaviour.cluster)
    : connectSentinel(servers, withLogin);
}

/** A master that became a replica keeps its connections, so the client has to leave it. */
function isReplica(error: Error, log: Log): boolean {
  if (!/^(READONLY|UNBLOCKED) /.test(error.message)) return false;
  log.warn({ error }, 'redis_is_a_replica');
  return true;
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
