import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

const EMAILS_PER_STATEMENT = 500;
/** A test email that is still waiting, because it was scheduled or deferred, is looked at again after this time. */
const NEXT_LOOK = '1 day';

/**
 * Deletes test mail that has been kept for `limits.testMailDays` days, unless it is unfinished.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the remaining emails are left for a later call
 */
export async function deleteOldTestMail(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  await deleteInBatches((limit) => deleteBatch(db, now, limit), EMAILS_PER_STATEMENT, mayContinue);
}

/** @returns how many emails it looked at */
async function deleteBatch(db: Knex, now: Date, limit: number): Promise<number> {
  const { rows } = await db.raw(
    `select email_id as id, workspace_id as "workspaceId",
       exists (select from deliveries where deliveries.email_id = test_mail.email_id) as "isUnfinished"
     from test_mail where kept_until <= :now order by kept_until limit :limit::int`,
    { now, limit },
  );
  const due: DueEmail[] = rows;
  const postponed = due.filter(({ isUnfinished }) => isUnfinished).map(({ id }) => id);
  await db.raw(
    `update test_mail set kept_until = :now::timestamptz + interval '${NEXT_LOOK}' where email_id = any(:postponed::uuid[])`,
    { now, postponed },
  );
  const finished = due.filter(({ isUnfinished }) => !isUnfinished);
  for (const [workspaceId, ids] of groupByWorkspace(finished)) await deleteEmails(db, workspaceId, ids);
  // Those of emails that were dropped with their partition, because no worker ran for weeks.
  await db('test_mail')
    .whereIn(
      'email_id',
      finished.map(({ id }) => id),
    )
    .delete();
  return due.length;
}

type DueEmail = { readonly id: string; readonly workspaceId: string; readonly isUnfinished: boolean };

function groupByWorkspace(emails: readonly DueEmail[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, workspaceId } of emails) groups.set(workspaceId, [...(groups.get(workspaceId) ?? []), id]);
  return groups;
}

/** The ids are values, not a subquery, as in workspace-retention-store.ts. A trigger deletes their rows of test_mail. */
async function deleteEmails(db: Knex, workspaceId: string, ids: readonly string[]): Promise<void> {
  await db('emails')
    .where({ workspace_id: workspaceId })
    .whereRaw('id = any(?::uuid[])', [[...ids]])
    .where('id', '>=', [...ids].sort()[0] as string)
    .delete();
}
