import type { Redis } from 'ioredis';
import { grouped } from '../grouping.js';
import { keys } from '../redis/keys.js';
import { lifetimes } from '../redis/lifetimes.js';
import type { IdempotencyKey } from './idempotency-key.js';

const MAX_RESPONSES_PER_WRITE = 100;

/** Caches a response in Redis for requests that repeat the key. */
export type CacheResponse = (workspaceId: string, idempotencyKey: IdempotencyKey, response: string) => void;

type CachedResponse = { readonly key: string; readonly fingerprint: string; readonly response: string };

/** One write for many responses, because a group commit answers all of its requests at once. */
export function openResponseCache(redis: Redis): CacheResponse {
  const write = grouped((responses: CachedResponse[]) => writeTogether(redis, responses), {
    max: MAX_RESPONSES_PER_WRITE,
  });
  return (workspaceId, { keyHash, fingerprint }, response) => {
    // Postgres has the response, so a failure here only costs a query.
    write({ key: keys.idempotency(workspaceId, keyHash), fingerprint, response }).catch(() => {});
  };
}

async function writeTogether(redis: Redis, responses: CachedResponse[]): Promise<null[]> {
  const pipeline = redis.pipeline();
  for (const { key, fingerprint, response } of responses) {
    pipeline.hset(key, { fingerprint, response }).expire(key, lifetimes.idempotentResponseSeconds);
  }
  await pipeline.exec();
  return responses.map(() => null);
}
