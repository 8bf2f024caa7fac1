import type { RedisHost } from '@posthorn/platform/config';
import type { Redis, RedisOptions } from 'ioredis';
import { findInfoField } from './health.js';

/** Options for a connection to one server, also one of a cluster. */
export type NodeOptions = Omit<RedisOptions, 'replyMapping'>;

export const retryStrategy = (times: number) => Math.min(times * 100, 1_000);

const TIMEOUT_MS = 1_000;

/** For asking a server once. */
export const askOptions: NodeOptions = {
  lazyConnect: true,
  retryStrategy: () => null,
  enableReadyCheck: false,
  maxRetriesPerRequest: 0,
  connectTimeout: TIMEOUT_MS,
  commandTimeout: TIMEOUT_MS,
};

/** What a server says that it is. */
export type Mode = { readonly mode: string; readonly role: string };

/** Managed services may forbid INFO or leave out lines. They then count as a single master. */
export async function readMode(redis: Redis): Promise<Mode> {
  const info = await redis.info().catch((error: Error) => {
    if (error.message.startsWith('NOPERM')) return '';
    throw error;
  });
  const isNode = findInfoField(info, 'cluster_enabled') === '1';
  return {
    mode: isNode ? 'cluster' : (findInfoField(info, 'redis_mode') ?? 'standalone'),
    role: findInfoField(info, 'role') ?? 'master',
  };
}

/** @throws Error if the server cannot be reached */
export async function askServer<Reply>(redis: Redis, ask: (redis: Redis) => Promise<Reply>): Promise<Reply> {
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
export async function askAll<Reply>(
  hosts: readonly RedisHost[],
  ask: (host: RedisHost) => Promise<Reply>,
): Promise<Reply[]> {
  const replies = await Promise.allSettled(hosts.map(ask));
  const reached = replies.filter((reply) => reply.status === 'fulfilled').map(({ value }) => value);
  const [failed] = replies.filter((reply) => reply.status === 'rejected');
  if (reached.length === 0) throw failed?.reason;
  return reached;
}
