import type { Knex } from 'knex';
import type { Send, Statement } from '../database/pipeline.js';

/** What a key was used for: the request's fingerprint (hex) and the answer, byte for byte. */
export type StoredAnswer = { readonly fingerprint: string; readonly answer: string };

/** @returns by `workspace/keyHash`; keys past their time count as never used */
export async function findAnswers(
  send: Send,
  claims: ReadonlyArray<{ workspaceId: string; keyHash: string }>,
): Promise<Map<string, StoredAnswer>> {
  if (claims.length === 0) return new Map();
  const rows = await send<AnswerRow>(FIND_ANSWERS, [
    claims.map((claim) => claim.workspaceId),
    claims.map((claim) => claim.keyHash),
  ]);
  return new Map(rows.map((row) => [`${row.workspace_id}/${row.key_hash}`, toAnswer(row)]));
}

const FIND_ANSWERS: Statement = {
  name: 'find_answers',
  text: `
    select workspace_id, encode(key_hash, 'hex') as key_hash, encode(fingerprint, 'hex') as fingerprint, answer
    from idempotency_keys
    where (workspace_id, key_hash) in (
      select id, decode(hash, 'hex') from unnest($1::uuid[], $2::text[]) as claims (id, hash)
    ) and expires_at > now()`,
};

type AnswerRow = { workspace_id: string; key_hash: string; fingerprint: string; answer: string };

function toAnswer({ fingerprint, answer }: AnswerRow): StoredAnswer {
  return { fingerprint, answer };
}

/** Forgets keys whose time is over, a batch at a time. @returns how many */
export async function deleteExpiredKeys(db: Knex, most: number): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from idempotency_keys where (workspace_id, key_hash) in (
       select workspace_id, key_hash from idempotency_keys where expires_at <= now()
       limit ? for update skip locked
     )`,
    [most],
  );
  return rowCount;
}
