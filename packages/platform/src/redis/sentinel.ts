import type { RedisHost, SentinelRedis } from '@posthorn/platform/config';
import { Redis } from 'ioredis';
import { askAll, askOptions, askServer, type NodeOptions, readMode } from './node.js';

export function connectSentinel(servers: SentinelRedis, node: NodeOptions): Redis {
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

/** `masters` are those that the Sentinel watches; null if the server is not a Sentinel. */
type SentinelView = { readonly sentinel: RedisHost; readonly masters: readonly string[] | null };

/** @returns what is wrong with the Sentinels in a REDIS_URL; null if nothing is */
export async function findSentinelFault(servers: SentinelRedis): Promise<string | null> {
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
  const redis = new Redis({ ...askOptions, ...sentinel, ...login, ...(tls && { tls: {} }) });
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
