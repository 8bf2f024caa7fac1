import type { Knex } from 'knex';
import type { EmailStatus } from './email-status.js';

/** Counting stops here, because an exact higher number is no use and would take a scan. */
const MAX_COUNTED_EMAILS = 10_000;

type UnfinishedStatus = Extract<EmailStatus, 'queued' | 'scheduled' | 'deferred' | 'sending'>;

/** Emails that have not ended. Each count stops at 10,000. */
export type Backlog = {
  readonly oldestDueSeconds: number;
  readonly emails: Readonly<Record<UnfinishedStatus, number>>;
};

/**
 * How long the oldest due email has waited for a worker, and how many emails have which status. The index is sorted
 * by workspace and due time, so one probe per workspace finds the oldest. Statuses are counted by workspace too,
 * because the index of waiting emails does not contain the status.
 */
export async function readBacklog(db: Knex): Promise<Backlog> {
  const { rows } = await db.raw(
    `with recursive oldest as (
       (
         select workspace_id, due_at from emails where status in ('queued', 'scheduled', 'deferred')
         order by workspace_id, due_at limit 1
       )
       union all
       select following.workspace_id, following.due_at
       from oldest, lateral (
         select workspace_id, due_at from emails
         where status in ('queued', 'scheduled', 'deferred') and emails.workspace_id > oldest.workspace_id
         order by workspace_id, due_at limit 1
       ) as following
     ),
     waiting as (
       select status, (
         select count(*) from (
           select from oldest, lateral (
             select from emails
             where emails.workspace_id = oldest.workspace_id and emails.status = of_status.status limit :limit
           ) as of_workspace limit :limit
         ) as counted
       ) as emails
       from (values ('queued'), ('scheduled'), ('deferred')) as of_status (status)
     )
     select
       (
         select coalesce(extract(epoch from now() - min(due_at)), 0)::float from oldest where due_at <= now()
       ) as oldest,
       (select json_object_agg(status, emails) from waiting) as waiting,
       (select count(*) from (select from emails where status = 'sending' limit :limit) as sending) as sending`,
    { limit: MAX_COUNTED_EMAILS },
  );
  const [{ oldest, waiting, sending }] = rows;
  return { oldestDueSeconds: Math.round(oldest), emails: { ...waiting, sending } };
}

/** Unfinished emails by what they are waiting for. Counts at most 10,000 of each. */
export type WaitingCounts = { due: number; scheduled: number; deferred: number; sending: number };

/** `due` includes scheduled and deferred emails whose time has come. */
export async function countWaiting(db: Knex): Promise<WaitingCounts> {
  const { rows } = await db.raw(
    `select
       (select count(*) from (
         select from emails where status in ('queued', 'scheduled', 'deferred') and due_at <= now() limit :limit
       ) as due) as due,
       (select count(*) from (
         select from emails where status = 'scheduled' and due_at > now() limit :limit
       ) as scheduled) as scheduled,
       (select count(*) from (
         select from emails where status = 'deferred' and due_at > now() limit :limit
       ) as deferred) as deferred,
       (select count(*) from (select from emails where status = 'sending' limit :limit) as sending) as sending`,
    { limit: MAX_COUNTED_EMAILS },
  );
  return rows[0];
}
