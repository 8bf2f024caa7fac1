import type { Knex } from 'knex';
import { hashKey } from './idempotency-key.js';
import { findResponse } from './idempotency-store.js';

/** What the stored responses to a send and to a batch have in common. */
type ResponseBody = { id: string } | { data: Array<{ id: string }> };

/**
 * The emails that were accepted with an idempotency key in the last 24 hours.
 * @param key as in the Idempotency-Key header
 * @returns none if the key is unknown or has expired
 */
export async function findIdsByIdempotencyKey(db: Knex, workspaceId: string, key: string): Promise<string[]> {
  const response = await findResponse(db, { workspaceId, keyHash: hashKey(key) });
  if (response === null) return [];
  const stored = JSON.parse(response) as ResponseBody;
  return 'data' in stored ? stored.data.map(({ id }) => id) : [stored.id];
}
