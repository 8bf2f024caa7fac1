import { isIP } from 'node:net';
import { decodePercents, parseUrl } from '@posthorn/platform/network';

export type RedisHost = { readonly host: string; readonly port: number };

type Credentials = { readonly username?: string; readonly password?: string };

/** The servers that a REDIS_URL names. */
export type RedisServers = SingleRedis | SentinelRedis | ClusterRedis;

/** One server. ioredis reads the URL by itself. */
type SingleRedis = { readonly kind: 'single'; readonly url: string };

/** A master that Sentinels watch, and that they replace by a replica when it fails. */
export type SentinelRedis = {
  readonly kind: 'sentinel';
  readonly sentinels: readonly RedisHost[];
  readonly masterName: string;
  /** For the master and its replicas. */
  readonly credentials: Credentials;
  readonly sentinelCredentials: { readonly sentinelUsername?: string; readonly sentinelPassword?: string };
  readonly db: number;
  readonly tls: boolean;
};

/** Some of the nodes of a Redis Cluster, which know all others. */
export type ClusterRedis = {
  readonly kind: 'cluster';
  readonly nodes: readonly RedisHost[];
  readonly credentials: Credentials;
  readonly tls: boolean;
};

export const EXPECTED_REDIS_URL =
  'a URL such as redis://host:6379, redis+sentinel://host:26379,host2:26379/master-name or redis+cluster://host:6379,host2:6379. With TLS, it starts with rediss instead of redis';

const PARTS =
  /^redis(?<tls>s?)\+(?<kind>sentinel|cluster):\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^/?#]*))?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/;
const DATABASE = /^\d{1,5}$/;
const SENTINEL_PARAMETERS = ['db', 'sentinel_username', 'sentinel_password'];
const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;
const MAX_PORT = 65_535;

/**
 * Reads a REDIS_URL: `redis://` and `rediss://` for one server, `redis+sentinel://[user:password@]hosts/master-name` with
 * the parameters `db`, `sentinel_username` and `sentinel_password`, or `redis+cluster://[user:password@]hosts`.
 * @returns null if the URL is not valid
 */
export function parseRedisUrl(text: string): RedisServers | null {
  if (/^rediss?:/.test(text)) return parseUrl(text) && { kind: 'single', url: text };
  const parts = PARTS.exec(text)?.groups;
  if (!parts) return null;
  return parts.kind === 'sentinel' ? toSentinel(parts) : toCluster(parts);
}

/** What `PARTS` matched. A part that the URL does not have is undefined. */
type Parts = { readonly [name: string]: string | undefined };

function toSentinel({ tls, login, hosts = '', path, query }: Parts): SentinelRedis | null {
  const sentinels = parseHosts(hosts, SENTINEL_PORT);
  const credentials = parseLogin(login);
  const masterName = decodePercents(path ?? '');
  const parameters = new URLSearchParams(query);
  const isKnown = [...parameters.keys()].every((name) => SENTINEL_PARAMETERS.includes(name));
  const db = parameters.get('db') ?? '0';
  if (!sentinels || !credentials || !masterName || !isKnown || !DATABASE.test(db)) return null;
  const [sentinelUsername, sentinelPassword] = [
    parameters.get('sentinel_username'),
    parameters.get('sentinel_password'),
  ];
  const sentinelCredentials = {
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
  };
  return {
    kind: 'sentinel',
    sentinels,
    masterName,
    credentials,
    sentinelCredentials,
    db: Number(db),
    tls: tls === 's',
  };
}

function toCluster({ tls, login, hosts = '', path, query }: Parts): ClusterRedis | null {
  const nodes = parseHosts(hosts, REDIS_PORT);
  const credentials = parseLogin(login);
  // A cluster has only database 0.
  if (!nodes || !credentials || path || query) return null;
  return { kind: 'cluster', nodes, credentials, tls: tls === 's' };
}

/** @returns null if one of the hosts is not valid */
function parseHosts(text: string, defaultPort: number): RedisHost[] | null {
  const hosts = text.split(',').map((part) => parseHost(part, defaultPort));
  const valid = hosts.filter((host) => host !== null);
  return valid.length === hosts.length ? valid : null;
}

function parseHost(text: string, defaultPort: number): RedisHost | null {
  const { v6, name = v6, port = defaultPort } = HOST.exec(text)?.groups ?? {};
  const isHost = v6 === undefined ? name !== undefined : isIP(v6) === 6;
  const isPort = Number(port) > 0 && Number(port) <= MAX_PORT;
  return isHost && isPort ? { host: name as string, port: Number(port) } : null;
}

/** @returns null if the text is not `user:password` or `:password`, with special characters encoded as in any URL */
function parseLogin(text: string | undefined): Credentials | null {
  if (text === undefined) return {};
  const colon = text.indexOf(':');
  const [username, password] = [
    decodePercents(text.slice(0, Math.max(0, colon))),
    decodePercents(text.slice(colon + 1)),
  ];
  if (colon === -1 || username === null || !password) return null;
  return { ...(username && { username }), password };
}
