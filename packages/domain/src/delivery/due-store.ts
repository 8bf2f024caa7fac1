import type { EmailOrigin } from '@posthorn/domain/emails';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { IS_NEXT, SEND_BEFORE, WORKSPACES_WITH_DUE } from './claim-store.js';
import { IS_UNDERSTOOD } from './claimed-email-store.js';

/** How many ten-second spans one statement looks at. A span counts once for each workspace with emails in it. */
const MAX_SPANS = 200;

/**
 * Emails that are due later have an index of their own, sorted by ten-second span and then by workspace. One lookup in
 * it shows whether anything has become due. A workspace with many emails that are due at the same time gets only its
 * share.
 */
const DUE = `
    with recursive spans as (
      (
        select date_bin('10 seconds', due_at, 'epoch') as span, workspace_id from deliveries where not is_due
        order by date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at limit 1
      )
      union all
      select following.span, following.workspace_id
      from spans, lateral (
        select date_bin('10 seconds', due_at, 'epoch') as span, workspace_id from deliveries
        where not is_due and (date_bin('10 seconds', due_at, 'epoch'), workspace_id) > (spans.span, spans.workspace_id)
        order by date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at limit 1
      ) as following
      where spans.span <= now()
    ),
    passed as materialized (select span, workspace_id from spans where span <= now() limit ${MAX_SPANS}),
    due as (
      select waiting.email_id from passed, lateral (
        select email_id from deliveries
        where not is_due and date_bin('10 seconds', due_at, 'epoch') = passed.span
          and workspace_id = passed.workspace_id and due_at <= now()
        order by due_at limit (select ceil($1::float / greatest(1, count(*)))::int from passed) for update skip locked
      ) as waiting
      limit $1::int
    )`;

const MARK_DUE: Statement = {
  name: 'mark_due',
  text: `${DUE} update deliveries set is_due = true where email_id = any(array(select email_id from due)) returning email_id`,
};

/**
 * Lets workers claim scheduled and deferred emails whose time has come.
 * @returns how many were marked, up to `limit`
 */
export async function markDueEmails(db: Db, limit: number): Promise<number> {
  const rows = await inPipeline(db, (send) => send(MARK_DUE, [limit]));
  return rows.length;
}

/** The ids of emails that `markDueEmails` would mark now. */
export async function findEmailsToMark(db: Db, limit: number): Promise<string[]> {
  const statement = { name: 'find_to_mark', text: `${DUE} select email_id as id from due` };
  const rows = await inPipeline(db, (send) => send<{ id: string }>(statement, [limit]));
  return rows.map(({ id }) => id);
}

/** Marks these emails as due if their time has come. */
export async function markDueByIds(db: Db, ids: readonly string[]): Promise<void> {
  const text = `
    update deliveries set is_due = true
    where email_id = any($1::uuid[]) and not is_due and due_at <= now() returning email_id`;
  await inPipeline(db, (send) => send({ name: 'mark_due_by_ids', text }, [ids]));
}

/**
 * Hides an email from the sweep for some time. It does not matter whether the email is due now, is due later, or has an
 * expired lease.
 * @returns where it comes from, for the log; null if its content is no longer stored
 */
export async function setAside(db: Db, id: string, seconds: number): Promise<EmailOrigin | null> {
  const [row] = await inPipeline(db, (send) =>
    send<EmailOrigin>({ name: 'set_aside', text: SET_ASIDE }, [id, seconds]),
  );
  return row ?? null;
}

const SET_ASIDE = `
  with aside as (
    update deliveries
    set is_due = lease_until is not null, send_before = ${SEND_BEFORE},
      due_at = greatest(due_at, now() + $2::int * interval '1 second'),
      lease_until = case when lease_until is not null then now() + $2::int * interval '1 second' end
    where email_id = $1::uuid and is_due is not null and (lease_until is null or lease_until < now())
  )
  select request_id as "requestId", traceparent from email_contents where email_id = $1::uuid`;

const MAX_PER_WORKSPACE = 1_000;
const MAX_EMAILS = 100_000;

/**
 * How many due emails need something that this version does not know, so that they wait for a newer worker. Looks at the
 * first emails of each workspace only: those that no worker claims are soon the first ones.
 */
export async function countNeedingNewerWorker(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `with recursive ${WORKSPACES_WITH_DUE},
     first_emails as (
       select waiting.needs from with_due, lateral (
         select needs from deliveries
         where ${IS_NEXT} and deliveries.workspace_id = with_due.workspace_id
         order by workspace_id, priority, due_at limit ${MAX_PER_WORKSPACE}
       ) as waiting
       limit ${MAX_EMAILS}
     )
     select count(*) from first_emails where not (${IS_UNDERSTOOD})`,
  );
  return rows[0].count;
}
