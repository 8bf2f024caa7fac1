import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

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
  const { rows } = await db.raw(
    `with retained as (
       select coalesce(content_removed_to, '00000000-0000-0000-0000-000000000000') as removed_to
       from workspaces where id = :workspaceId for no key update skip locked
     ),
     old as materialized (
       select emails.id from retained, lateral (
         select id from emails
         where (workspace_id, id) > (:workspaceId, removed_to) and (workspace_id, id) < (:workspaceId, :below::uuid)
           and id < :below::uuid
         order by workspace_id, id limit :limit::int
       ) as emails
     ),
     deleted as (
       delete from email_contents
       where email_id = any(array(
           select id from old where not exists (select from deliveries where deliveries.email_id = old.id)
         ))
         and email_id >= (select id from old order by id limit 1) and email_id < :below::uuid
     ),
     deleted_attachments as (
       delete from email_attachments
       where email_id = any(array(
           select id from old where not exists (select from deliveries where deliveries.email_id = old.id)
         ))
         and email_id >= (select id from old order by id limit 1) and email_id < :below::uuid
     ),
     moved as (
       update workspaces set content_removed_to = (select id from old order by id desc limit 1)
       where id = :workspaceId and exists (select from old)
     )
     select count(*) as found from old`,
    { workspaceId, below, limit },
  );
  return rows[0].found;
}

/**
 * Deletes up to `limit` of a workspace's emails that are older than `below`, with everything that belongs to them.
 * It skips unfinished emails.
 * @returns how many it deleted
 */
async function deleteOldEmails(db: Knex, { workspaceId, below, limit }: OldRows): Promise<number> {
  const { rowCount } = await db.raw(
    `with old as materialized (
       select id from emails
       where (workspace_id, id) > (:workspaceId, '00000000-0000-0000-0000-000000000000')
         and (workspace_id, id) < (:workspaceId, :below::uuid) and id < :below::uuid
         and not exists (select from deliveries where email_id = id)
       order by workspace_id, id limit :limit::int
     )
     delete from emails
     where workspace_id = :workspaceId and id = any(array(select id from old))
       and id >= (select id from old order by id limit 1) and id < :below::uuid`,
    { workspaceId, below, limit },
  );
  return rowCount;
}
