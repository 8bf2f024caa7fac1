import type { Knex } from 'knex';
import { isAddressSql } from './erase-rows-store.js';

/** Which emails to look for: those of one workspace whose ids are above `after` and below `below`. */
type EmailSearchRange = {
  readonly erasureId: string;
  readonly workspaceId: string;
  /** In lower case. */
  readonly address: string;
  readonly after: string;
  readonly below: string;
  readonly limit: number;
};

/**
 * Adds to an erasure the next emails that have the address as a recipient. The row comparisons make Postgres use the
 * index on recipients, as lists do.
 * @returns the ids of at most `limit` emails, in order
 */
export async function addEmailsTo(trx: Knex, range: EmailSearchRange): Promise<string[]> {
  const { rows } = await trx.raw(
    `with found as materialized (
       select email_id from email_recipients
       where (workspace_id, lower(address), email_id) > (:workspaceId::uuid, :address, :after::uuid)
         and (workspace_id, lower(address), email_id) < (:workspaceId::uuid, :address, :below::uuid)
         and email_id > :after::uuid and email_id < :below::uuid
       order by workspace_id, lower(address), email_id limit :limit::int
     ),
     ${ADDED}
     select email_id from found order by email_id`,
    range,
  );
  return rows.map(({ email_id }: { email_id: string }) => email_id);
}

/** Result of scanning one range. `last` is the last email of the range; null if the range is empty. */
type ScannedEmails = { readonly scanned: number; readonly last: string | null; readonly found: string[] };

/**
 * Adds those of the next `limit` emails that have the address in Reply-To. No index finds them, because it would make
 * every email more expensive, so this reads all emails of the workspace, in the order of their ids.
 */
export async function addEmailsWithReplyTo(trx: Knex, range: EmailSearchRange): Promise<ScannedEmails> {
  const { rows } = await trx.raw(
    `with scanned as materialized (
       select id from emails
       where (workspace_id, id) > (:workspaceId::uuid, :after::uuid)
         and (workspace_id, id) < (:workspaceId::uuid, :below::uuid) and id > :after::uuid and id < :below::uuid
       order by workspace_id, id limit :limit::int
     ),
     found as materialized (
       select email_id from email_contents
       where email_id = any(array(select id from scanned)) and email_id > :after::uuid and email_id < :below::uuid
         and exists (select from unnest(reply_to) as entry where ${isAddressSql('entry')})
     ),
     ${ADDED}
     select (select count(*)::int from scanned) as scanned, (select id from scanned order by id desc limit 1) as last,
       array(select email_id from found order by email_id) as found`,
    range,
  );
  return rows[0];
}

const ADDED = `added as (
       insert into erasure_emails (erasure_id, email_id, workspace_id)
       select :erasureId::uuid, email_id, :workspaceId::uuid from found
       on conflict (erasure_id, email_id) do nothing
     )`;

export type ErasureEmail = { readonly id: string; readonly workspaceId: string };

/** The next emails of an erasure that still have to be erased. */
export async function listRemainingEmails(
  trx: Knex,
  { erasureId, after, limit }: { erasureId: string; after: string; limit: number },
): Promise<ErasureEmail[]> {
  return trx('erasure_emails')
    .select({ id: 'email_id', workspaceId: 'workspace_id' })
    .where({ erasure_id: erasureId, erased_at: null })
    .where('email_id', '>', after)
    .orderBy('email_id')
    .limit(limit);
}

const MAX_LISTED = 100;

/** The ids of the newest emails that still have to be erased, at most 100, newest first. */
export async function listRemainingEmailIds(db: Knex, erasureId: string): Promise<string[]> {
  return db('erasure_emails')
    .where({ erasure_id: erasureId, erased_at: null })
    .orderBy('email_id', 'desc')
    .limit(MAX_LISTED)
    .pluck('email_id');
}

/** @returns how many emails were marked as erased now */
export async function markErased(trx: Knex, erasureId: string, ids: readonly string[]): Promise<number> {
  const { rowCount } = await trx.raw(
    `update erasure_emails set erased_at = now()
     where erasure_id = ? and email_id = any(?::uuid[]) and erased_at is null`,
    [erasureId, [...ids]],
  );
  return rowCount;
}

/** Emails of an erasure that were erased at least `seconds` ago. */
export async function listErasedEmails(
  trx: Knex,
  { erasureId, seconds, limit }: { erasureId: string; seconds: number; limit: number },
): Promise<ErasureEmail[]> {
  const { rows } = await trx.raw(
    `select email_id as id, workspace_id as "workspaceId" from erasure_emails
     where erasure_id = ? and erased_at <= now() - ?::float * interval '1 second' order by email_id limit ?`,
    [erasureId, seconds, limit],
  );
  return rows;
}

export async function deleteErasureEmails(trx: Knex, erasureId: string, ids: readonly string[]): Promise<void> {
  await trx.raw('delete from erasure_emails where erasure_id = ? and email_id = any(?::uuid[])', [erasureId, [...ids]]);
}

const MAX_COUNTED = 10_000;

/** How many emails still have to be erased, in all workspaces. Counts up to 10,000. */
export async function countRemainingEmails(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    'select count(*)::int as remaining from (select from erasure_emails where erased_at is null limit ?) as counted',
    [MAX_COUNTED],
  );
  return rows[0].remaining;
}

export async function hasErasureEmails(trx: Knex, erasureId: string): Promise<boolean> {
  return (await trx('erasure_emails').select('email_id').where({ erasure_id: erasureId }).first()) !== undefined;
}
