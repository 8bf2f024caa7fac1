import type { Knex } from 'knex';
import { ERASED_DOMAIN, ERASED_SUBJECT } from './erase-rows-store.js';

/** The response of an idempotency key that tells of emails that are being erased, or repeats the address in an error. */
type ResponseToErase = {
  readonly keyHash: string;
  readonly response: string;
  /** The ids of those emails. */
  readonly emailIds: readonly string[];
};

/**
 * Looks at the next `limit` keys of a workspace. A response contains the ids of its emails, so no index is needed to
 * find them; keys are kept for a day only.
 * @param address in lower case
 * @param after the hash of a key, in hex
 */
export async function findResponsesToErase(
  trx: Knex,
  values: { erasureId: string; workspaceId: string; address: string; after: string; limit: number },
): Promise<{ scanned: number; last: string | null; found: ResponseToErase[] }> {
  const { rows } = await trx.raw(
    `with scanned as materialized (
       select key_hash, response from idempotency_keys
       where workspace_id = :workspaceId and key_hash > decode(:after, 'hex') order by key_hash limit :limit::int
     ),
     found as materialized (
       select key_hash, response, array(
         select email_id from regexp_matches(response, '"id":"([0-9a-f-]{36})"', 'g') as id
         join erasure_emails on erasure_id = :erasureId and email_id = id[1]::uuid
       ) as email_ids
       from scanned
     )
     select (select count(*)::int from scanned) as scanned,
       (select encode(key_hash, 'hex') from scanned order by key_hash desc limit 1) as last,
       coalesce((
         select json_agg(json_build_object('keyHash', encode(key_hash, 'hex'), 'response', response, 'emailIds', email_ids))
         from found where email_ids <> '{}' or (response like '%"errors":%' and strpos(lower(response), :address) > 0)
       ), '[]') as found`,
    values,
  );
  return rows[0];
}

export async function replaceResponse(
  trx: Knex,
  { workspaceId, keyHash, response }: { workspaceId: string; keyHash: string; response: string },
): Promise<void> {
  await trx.raw("update idempotency_keys set response = ? where workspace_id = ? and key_hash = decode(?, 'hex')", [
    ...[response, workspaceId, keyHash],
  ]);
}

/**
 * Erases the subject and the address from the stored response to a request to send email, and the address from its
 * warnings and errors. A repeated request still gets a response and sends nothing.
 * @param address in lower case
 */
export function eraseFromResponse({ response, emailIds }: ResponseToErase, address: string): string {
  const anySpelling = new RegExp(address.replace(/[^a-z0-9@]/g, '\\$&'), 'gi');
  return JSON.stringify(JSON.parse(response), (name, value) => {
    if (name === 'message' && typeof value === 'string') return value.replace(anySpelling, '(erased)');
    if (!isErasedEmail(value, emailIds)) return value;
    const to = value.to.map((entry, index) =>
      isAddress(entry, address) ? `erased-${index + 1}@${ERASED_DOMAIN}` : entry,
    );
    return { ...value, to, subject: ERASED_SUBJECT };
  });
}

function isErasedEmail(value: unknown, ids: readonly string[]): value is { to: string[] } {
  const { id, to } = (value ?? {}) as { id?: unknown; to?: unknown };
  return typeof id === 'string' && ids.includes(id) && Array.isArray(to);
}

function isAddress(entry: string, address: string): boolean {
  const lower = entry.toLowerCase();
  return lower === address || lower.endsWith(`<${address}>`);
}
