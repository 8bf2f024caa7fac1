import type { Knex } from 'knex';

/** Counting stops here, because an exact higher number is no use and would take a scan. */
const MAX_COUNTED_EMAILS = 10_000;

export type Backlog = { waiting: number; oldestDueSeconds: number };

/**
 * How many emails are due and not yet claimed, up to 10,000, and how long the oldest one has waited. The index
 * is sorted by workspace and due time, so one probe per workspace finds the oldest.
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
     )
     select
       (select count(*) from (
         select from emails where status in ('queued', 'scheduled', 'deferred') and due_at <= now() limit ?
       ) as due) as waiting,
       (
         select coalesce(extract(epoch from now() - min(due_at)), 0)::float from oldest where due_at <= now()
       ) as oldest`,
    [MAX_COUNTED_EMAILS],
  );
  return { waiting: rows[0].waiting, oldestDueSeconds: Math.round(rows[0].oldest) };
}

/** Unfinished emails by what they are waiting for. Counts at most 10,000 of each. */
export type WaitingCounts = { due: number; scheduled: number; deferred: number; sending: number };

/** `due` is what `readBacklog` counts. It includes scheduled and deferred emails whose time has come. */
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
