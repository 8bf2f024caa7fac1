import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { listPartitions } from './partition-store.js';

/*
 * The rows of counted_mail: test emails, and live emails with much content. While a row exists, its bytes are part of the
 * workspace's storage (schema/tables/storage.ts).
 */

const EMAILS_PER_STATEMENT = 500;
/** A test email that is still waiting, because it was scheduled or deferred, is looked at again after this time. */
const NEXT_LOOK = '1 day';

/**
 * Deletes test mail that has been kept for `limits.testMailDays` days, unless it is unfinished. Also stops counting live
 * emails whose content is gone; the emails stay.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the remaining emails are left for a later call
 */
export async function expireCountedMail(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  await deleteInBatches((limit) => expireBatch(db, now, limit), EMAILS_PER_STATEMENT, mayContinue);
  const [first] = await listPartitions(db, 'email_contents');
  const below = first?.to ?? null;
  await deleteInBatches((limit) => deleteWithoutContent(db, below, limit), EMAILS_PER_STATEMENT, mayContinue);
}

/**
 * Marks those of the emails that are live, because their content has been deleted. The clean-up deletes their rows
 * within a minute or so, in a transaction that locks nothing else.
 */
export async function stopCounting(trx: Knex, ids: readonly string[]): Promise<void> {
  await trx.raw('update counted_mail set kept_until = now() where email_id = any(?::uuid[]) and kept_until is null', [
    [...ids],
  ]);
}

/** @returns how many emails it looked at */
async function expireBatch(db: Knex, now: Date, limit: number): Promise<number> {
  const { rows } = await db.raw(
    `select email_id as id, workspace_id as "workspaceId", test_of is not null as "isTest",
       test_of is not null
         and exists (select from deliveries where deliveries.email_id = counted_mail.email_id) as "isUnfinished"
     from counted_mail left join workspaces on workspaces.id = workspace_id
     where kept_until <= :now order by kept_until limit :limit::int`,
    { now, limit },
  );
  const due: DueEmail[] = rows;
  const postponed = due.filter(({ isUnfinished }) => isUnfinished).map(({ id }) => id);
  await db.raw(
    `update counted_mail set kept_until = :now::timestamptz + interval '${NEXT_LOOK}'
     where email_id = any(:postponed::uuid[])`,
    { now, postponed },
  );
  const finished = due.filter(({ isUnfinished }) => !isUnfinished);
  const deleted = finished.filter(({ isTest }) => isTest);
  for (const [workspaceId, ids] of groupByWorkspace(deleted)) await deleteEmails(db, workspaceId, ids);
  // Those of live mail, and those of emails that were dropped with their partition, because no worker ran for weeks.
  await db('counted_mail')
    .whereIn(
      'email_id',
      finished.map(({ id }) => id),
    )
    .delete();
  return due.length;
}

type DueEmail = {
  readonly id: string;
  readonly workspaceId: string;
  readonly isTest: boolean;
  readonly isUnfinished: boolean;
};

function groupByWorkspace(emails: readonly DueEmail[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, workspaceId } of emails) groups.set(workspaceId, [...(groups.get(workspaceId) ?? []), id]);
  return groups;
}

/** The ids are values, not a subquery, as in workspace-retention-store.ts. A trigger deletes their rows of counted_mail. */
async function deleteEmails(db: Knex, workspaceId: string, ids: readonly string[]): Promise<void> {
  await db('emails')
    .where({ workspace_id: workspaceId })
    .whereRaw('id = any(?::uuid[])', [[...ids]])
    .where('id', '>=', [...ids].sort()[0] as string)
    .delete();
}

/**
 * Deletes rows of live mail whose content was dropped with its partition.
 * @param below where the first partition of contents ends. It is empty apart from emails with a wrong time, and the
 *   second bound keeps Postgres from reading any other partition
 * @returns how many rows it deleted
 */
async function deleteWithoutContent(db: Knex, below: string | null, limit: number): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from counted_mail where email_id = any(array(
       select email_id from counted_mail
       where kept_until is null and email_id < :below::uuid
         and not exists (
           select from email_contents as content
           where content.email_id = counted_mail.email_id and content.email_id < :below::uuid
         )
       order by email_id limit :limit::int for update skip locked
     ))`,
    { below, limit },
  );
  return rowCount;
}
