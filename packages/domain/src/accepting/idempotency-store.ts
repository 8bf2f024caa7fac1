import type { Send, Statement } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { hashKey } from './idempotency-key.js';

/** An idempotency key within its workspace. */
export type ScopedKey = { readonly workspaceId: string; readonly keyHash: string };

/** Identifies a key in a map that holds keys from several workspaces. */
export function toScopedKeyText({ workspaceId, keyHash }: ScopedKey): string {
  return `${workspaceId}/${keyHash}`;
}

/** What a key was used for: the request's fingerprint (hex) and the response, byte for byte. */
export type StoredResponse = { readonly fingerprint: string; readonly response: string };

/**
 * Reads what the keys were used for. The rows are locked so that the transaction has something to commit. Its COMMIT
 * then waits until a synchronous standby has the rows too.
 * @returns the stored responses by `toScopedKeyText`; an expired key counts as unused
 */
export async function findStoredResponses(
  send: Send,
  keys: readonly ScopedKey[],
): Promise<Map<string, StoredResponse>> {
  if (keys.length === 0) return new Map();
  const rows = await send<ResponseRow>(FIND_RESPONSES, [
    keys.map(({ workspaceId }) => workspaceId),
    keys.map(({ keyHash }) => keyHash),
  ]);
  return new Map(
    rows.map(({ workspace_id, key_hash, fingerprint, response }) => [
      toScopedKeyText({ workspaceId: workspace_id, keyHash: key_hash }),
      { fingerprint, response },
    ]),
  );
}

const FIND_RESPONSES: Statement = {
  name: 'find_responses',
  text: `
    select workspace_id, encode(key_hash, 'hex') as key_hash, encode(fingerprint, 'hex') as fingerprint, response
    from idempotency_keys
    where (workspace_id, key_hash) in (
      select id, decode(hash, 'hex') from unnest($1::uuid[], $2::text[]) as requested (id, hash)
    ) and expires_at > now()
    for key share`,
};

type ResponseRow = { workspace_id: string; key_hash: string; fingerprint: string; response: string };

/** @returns the stored response of a key that has not expired; null if there is none */
async function findResponse(db: Knex, { workspaceId, keyHash }: ScopedKey): Promise<string | null> {
  const row = await db('idempotency_keys')
    .whereRaw("workspace_id = ? and key_hash = decode(?, 'hex') and expires_at > now()", [workspaceId, keyHash])
    .first('response');
  return row?.response ?? null;
}

/** Deletes up to `limit` expired keys. @returns how many it deleted */
export async function deleteExpiredIdempotencyKeys(db: Knex, limit: number): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from idempotency_keys where (workspace_id, key_hash) in (
       select workspace_id, key_hash from idempotency_keys where expires_at <= now()
       limit ? for update skip locked
     )`,
    [limit],
  );
  return rowCount;
}

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
