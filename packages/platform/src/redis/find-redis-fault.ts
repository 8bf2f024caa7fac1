import { type ClusterRedis, parseRedisUrl, type RedisHost, type SentinelRedis } from '@posthorn/platform/config';
import { Redis, type RedisOptions } from 'ioredis';
import { infoField } from './health.js';

const TIMEOUT_MS = 1_000;

const options: Omit<RedisOptions, 'replyMapping'> = {
  lazyConnect: true,
  retryStrategy: () => null,
  enableReadyCheck: false,
  maxRetriesPerRequest: 0,
  connectTimeout: TIMEOUT_MS,
  commandTimeout: TIMEOUT_MS,
};

/**
 * Asks the servers in a REDIS_URL whether they are what the URL says. A node of a cluster behind a plain URL would refuse
 * two of three commands, and only some limits would hold; everything on a replica would be refused.
 * @returns what is wrong and what to do, as a sentence; null if nothing is
 * @throws Error if no server can be reached
 */
export async function findRedisFault(url: string): Promise<string | null> {
  const servers = parseRedisUrl(url);
  if (servers?.kind === 'sentinel') return faultOfSentinels(servers);
  if (servers?.kind === 'cluster') return faultOfCluster(servers);
  return faultOfSingle(await askServer(new Redis(url, options), readMode));
}

type Mode = { readonly mode: string; readonly role: string };

/** Managed services may forbid INFO or leave out lines. They then count as a single master. */
async function readMode(redis: Redis): Promise<Mode> {
  const info = await redis.info().catch((error: Error) => {
    if (error.message.startsWith('NOPERM')) return '';
    throw error;
  });
  const isNode = infoField(info, 'cluster_enabled') === '1';
  return {
    mode: isNode ? 'cluster' : (infoField(info, 'redis_mode') ?? 'standalone'),
    role: infoField(info, 'role') ?? 'master',
  };
}

function faultOfSingle({ mode, role }: Mode): string | null {
  if (mode === 'cluster')
    return 'REDIS_URL leads to a node of a Redis Cluster. Set it to redis+cluster://host:6379, with one or more of the nodes.';
  if (mode === 'sentinel')
    return 'REDIS_URL leads to a Redis Sentinel. Set it to redis+sentinel://host:26379/master-name, with one or more of the Sentinels.';
  if (role === 'slave')
    return 'REDIS_URL leads to a replica, and what is written there is refused or lost. Set it to the address of the master, or let Sentinels find the master: redis+sentinel://host:26379/master-name.';
  return null;
}

async function faultOfCluster({ nodes, credentials, tls }: ClusterRedis): Promise<string | null> {
  const modes = await askAll(nodes, async (node) => {
    const redis = new Redis({ ...options, ...node, ...credentials, ...(tls && { tls: {} }) });
    return { node, ...(await askServer(redis, readMode)) };
  });
  const wrong = modes.find(({ mode }) => mode !== 'cluster');
  if (!wrong) return null;
  const { host, port } = wrong.node;
  const what = wrong.mode === 'sentinel' ? 'a Redis Sentinel' : 'a single server';
  return `REDIS_URL names ${host}:${port} as a node of a Redis Cluster, but it is ${what}. Set it to ${wrong.mode === 'sentinel' ? 'redis+sentinel://host:26379/master-name' : `redis://${host}:${port}`}.`;
}

/** `masters` are those that the Sentinel watches; null if the server is not a Sentinel. */
type SentinelView = { readonly sentinel: RedisHost; readonly masters: readonly string[] | null };

async function faultOfSentinels(servers: SentinelRedis): Promise<string | null> {
  const { masterName } = servers;
  const views = await askAll(servers.sentinels, (sentinel) => readSentinel(sentinel, servers));
  const wrong = views.find(({ masters }) => masters === null);
  if (wrong) {
    const { host, port } = wrong.sentinel;
    return `REDIS_URL names ${host}:${port} as a Redis Sentinel, but it is a Redis server. Name the Sentinels, which listen on port 26379 by default, or set REDIS_URL to redis://${host}:${port}.`;
  }
  const known = new Set(views.flatMap(({ masters }) => masters ?? []));
  if (known.has(masterName)) return null;
  const others = known.size > 0 ? `They watch ${[...known].join(', ')}.` : 'They watch none.';
  return `REDIS_URL names the master ${masterName}, which its Sentinels do not watch. ${others} Set the part of the URL after the last slash to the name of a master.`;
}

async function readSentinel(
  sentinel: RedisHost,
  { sentinelCredentials: { sentinelUsername: username, sentinelPassword: password }, tls }: SentinelRedis,
): Promise<SentinelView> {
  const login = { ...(username && { username }), ...(password && { password }) };
  const redis = new Redis({ ...options, ...sentinel, ...login, ...(tls && { tls: {} }) });
  const masters = await askServer(redis, async () => {
    const { mode } = await readMode(redis);
    return mode === 'sentinel' ? ((await redis.call('SENTINEL', 'MASTERS')) as unknown[]) : null;
  });
  return { sentinel, masters: masters?.map(nameOfMaster) ?? null };
}

/** Sentinels reply with a list of names and values, or, since RESP3, with a map. */
function nameOfMaster(master: unknown): string {
  const fields = Array.isArray(master) ? master : Object.entries(master as object).flat();
  return String(fields[fields.indexOf('name') + 1]);
}

/** @throws Error if the server cannot be reached */
async function askServer<Reply>(redis: Redis, ask: (redis: Redis) => Promise<Reply>): Promise<Reply> {
  let cause: Error | undefined;
  redis.on('error', (error) => {
    cause = error;
  });
  try {
    await redis.connect();
    return await ask(redis);
  } catch (error) {
    // What `connect` throws only says that the connection is closed.
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

/** @returns the replies of those that could be reached @throws Error if none could be */
async function askAll<Reply>(hosts: readonly RedisHost[], ask: (host: RedisHost) => Promise<Reply>): Promise<Reply[]> {
  const replies = await Promise.allSettled(hosts.map(ask));
  const reached = replies.filter((reply) => reply.status === 'fulfilled').map(({ value }) => value);
  const [failed] = replies.filter((reply) => reply.status === 'rejected');
  if (reached.length === 0) throw failed?.reason;
  return reached;
}
