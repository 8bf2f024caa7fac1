import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { NIL } from 'uuid';
import { stopCounting } from './counted-mail-store.js';

const EMAILS_PER_STATEMENT = 500;

/**
 * Deletes old rows of workspaces that keep emails or content for fewer days than the service does. It works in small
 * batches. Unlike dropping a partition, this leaves dead rows behind.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the remaining rows are left for a later call
 */
export async function deleteOldRows({ db }: Pick<Context, 'db'>, now: Date, mayContinue: () => boolean): Promise<void> {
  for (const { workspaceId, contentDays, emailDays } of await listShortRetentions(db)) {
    const olderThan = (days: number, limit: number): OldRows => ({
      workspaceId,
      below: toFirstId(now.getTime() - days * DAY_MS),
      limit,
    });
    if (emailDays !== null)
      await deleteInBatches(
        (size) => deleteOldEmails(db, olderThan(emailDays, size)),
        EMAILS_PER_STATEMENT,
        mayContinue,
      );
    if (contentDays !== null)
      await deleteInBatches(
        (size) => deleteOldContents(db, olderThan(contentDays, size)),
        EMAILS_PER_STATEMENT,
        mayContinue,
      );
  }
}

/** A workspace that keeps its emails or their content for fewer days than the service does. */
type ShortRetention = {
  readonly workspaceId: string;
  readonly contentDays: number | null;
  readonly emailDays: number | null;
};

/** At most `limit` emails of a workspace, with ids below `below`. */
type OldRows = { readonly workspaceId: string; readonly below: string; readonly limit: number };

/** In random order, so that no workspace always comes first. Test mail is kept for as long as live mail. */
async function listShortRetentions(db: Knex): Promise<ShortRetention[]> {
  const { rows } = await db.raw(
    `select workspaces.id as "workspaceId", live.content_retention_days as "contentDays",
       live.email_retention_days as "emailDays"
     from workspaces as live join workspaces on workspaces.id = live.id or workspaces.test_of = live.id
     where live.content_retention_days is not null or live.email_retention_days is not null order by random()`,
  );
  return rows;
}

/**
 * Deletes the content of a workspace's next `limit` emails that are older than `below`. It continues where the last
 * call stopped, because no index finds a workspace's contents. An unfinished email is skipped and keeps its
 * content until CONTENT_RETENTION_DAYS have passed.
 * @returns how many emails it checked
 */
async function deleteOldContents(db: Knex, { workspaceId, below, limit }: OldRows): Promise<number> {
  return db.transaction(async (trx) => {
    const workspace = await trx('workspaces')
      .select('content_removed_to')
      .where({ id: workspaceId })
      .forNoKeyUpdate()
      .skipLocked()
      .first();
    if (!workspace) return 0;
    const old = await listOldEmails(trx, { workspaceId, below, limit }, workspace.content_removed_to ?? NIL);
    const finished = old.filter(({ isFinished }) => isFinished).map(({ id }) => id);
    await deleteRowsById(trx('email_contents'), 'email_id', finished);
    await deleteRowsById(trx('email_attachments'), 'email_id', finished);
    await stopCounting(trx, finished);
    const last = old.at(-1);
    if (last) await trx('workspaces').where({ id: workspaceId }).update({ content_removed_to: last.id });
    return old.length;
  });
}

type OldEmail = { readonly id: string; readonly isFinished: boolean };

/** In the order of their ids. @param condition SQL */
async function listOldEmails(
  db: Knex,
  { workspaceId, below, limit }: OldRows,
  after: string,
  condition = 'true',
): Promise<OldEmail[]> {
  const { rows } = await db.raw(
    `select id, ${IS_FINISHED} as "isFinished" from emails
     where (workspace_id, id) > (:workspaceId, :after::uuid) and (workspace_id, id) < (:workspaceId, :below::uuid)
       and id < :below::uuid and ${condition}
     order by workspace_id, id limit :limit::int`,
    { workspaceId, after, below, limit },
  );
  return rows;
}

const IS_FINISHED = 'not exists (select from deliveries where email_id = id)';

/**
 * Deletes rows by ids that are values, not a subquery, so that Postgres chooses the partitions before it begins. It
 * could crash otherwise (see delivery/outcome-store.ts). The lower bound spares it the older partitions.
 * @param ids in order
 */
export async function deleteRowsById(rows: Knex.QueryBuilder, column: string, ids: readonly string[]): Promise<void> {
  const [first] = ids;
  if (first === undefined) return;
  await rows
    .whereRaw('?? = any(?::uuid[])', [column, [...ids]])
    .where(column, '>=', first)
    .delete();
}

/**
 * Deletes up to `limit` of a workspace's emails that are older than `below`, with everything that belongs to them.
 * It skips unfinished emails.
 * @returns how many it deleted
 */
async function deleteOldEmails(db: Knex, old: OldRows): Promise<number> {
  const ids = (await listOldEmails(db, old, NIL, IS_FINISHED)).map(({ id }) => id);
  await deleteRowsById(db('emails').where({ workspace_id: old.workspaceId }), 'id', ids);
  return ids.length;
}
