import type { Context } from '@posthorn/platform';
import { grouped } from '@posthorn/platform/batching';
import { isCluster, lifetimes, type RedisClient } from '@posthorn/platform/redis';
import { groupByWorkspace } from './group-by-workspace.js';
import type { IdempotencyKey } from './idempotency-key.js';

const MAX_KEYS_PER_WRITE = 100;

/** Tells Redis that Postgres has a response for an idempotency key. */
export type WriteStoredKey = (workspaceId: string, idempotencyKey: IdempotencyKey) => void;

type StoredKey = { readonly workspaceId: string; readonly key: string; readonly fingerprint: string };

/**
 * Writes many keys at once, because a group commit answers all of its requests together. The response itself stays in
 * Postgres: clients decide how long responses are, so they would decide how much memory Redis needs.
 */
export function storedKeyWriter({
  incarnationKeys,
  redis,
}: Pick<Context, 'incarnationKeys' | 'redis'>): WriteStoredKey {
  const write = grouped((storedKeys: StoredKey[]) => writeTogether(redis, storedKeys), { max: MAX_KEYS_PER_WRITE });
  return (workspaceId, { keyHash, fingerprint }) => {
    // Postgres also knows the key, so if this write fails, a retry still gets the same response, only more slowly.
    write({ workspaceId, key: incarnationKeys.idempotency(workspaceId, keyHash), fingerprint }).catch(() => {});
  };
}

async function writeTogether(redis: RedisClient, storedKeys: StoredKey[]): Promise<null[]> {
  const groups = isCluster(redis) ? groupByWorkspace(storedKeys, ({ workspaceId }) => workspaceId) : [storedKeys];
  await Promise.all(groups.map((group) => writeGroup(redis, group)));
  return storedKeys.map(() => null);
}

async function writeGroup(redis: RedisClient, storedKeys: StoredKey[]): Promise<void> {
  const pipeline = redis.pipeline();
  for (const { key, fingerprint } of storedKeys) {
    pipeline.hset(key, { fingerprint, stored: 1 }).expire(key, lifetimes.storedKeySeconds);
  }
  await pipeline.exec();
}
