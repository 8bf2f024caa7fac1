import type { EmailStatus } from '@posthorn/contract';
import type { Knex } from 'knex';

/** Counting stops here, because nobody needs an exact number above this, and finding it would require a scan. */
const MAX_COUNTED_EMAILS = 10_000;

/** Emails that no sweep has marked as due yet, although their time has come. */
const OVERDUE = "not is_due and date_bin('10 seconds', due_at, 'epoch') <= now() and due_at <= now()";

/** Due emails that wait for nothing but a worker, and those that wait for a limit or a route. Each has its index. */
const NEXT = 'is_due and lease_until is null and waits_for is null';
const HELD_BACK = 'is_due and lease_until is null and waits_for is not null';

type UnfinishedStatus = Extract<EmailStatus, 'queued' | 'scheduled' | 'deferred' | 'sending'> | 'parked';

/** Unfinished emails. Counting stops at 10,000 that are due, due later, being sent, or parked, each. */
type Backlog = {
  readonly oldestDueSeconds: number;
  readonly emails: Readonly<Record<UnfinishedStatus, number>>;
};

/**
 * How long the oldest due email has waited for a worker, and how many emails have each status. An email that has been
 * attempted counts as deferred until it has a final status. A scheduled email counts as queued once it is due. The
 * index is sorted by workspace, priority and due time, so a few lookups per workspace with due emails find the oldest.
 */
export async function readBacklog(db: Knex): Promise<Backlog> {
  const { rows } = await db.raw(
    `with recursive oldest as (
       (
         select workspace_id, priority, due_at from deliveries where ${NEXT}
         order by workspace_id, priority, due_at limit 1
       )
       union all
       select following.*
       from oldest, lateral (
         select workspace_id, priority, due_at from deliveries
         where ${NEXT} and (deliveries.workspace_id, deliveries.priority) > (oldest.workspace_id, oldest.priority)
         order by workspace_id, priority, due_at limit 1
       ) as following
     ),
     overdue as (
       select due_at from deliveries where ${OVERDUE}
       order by date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at limit 1
     ),
     due as (
       (select attempt from deliveries where ${NEXT} limit :limit)
       union all (select attempt from deliveries where ${HELD_BACK} limit :limit)
     ),
     later as (select attempt from deliveries where not is_due limit :limit)
     select
       (
         select coalesce(extract(epoch from now() - min(due_at)), 0)::float
         from (select due_at from oldest union all select due_at from overdue) as each
       ) as oldest,
       (select count(*) from due where attempt = 0) as queued,
       (select count(*) from later where attempt = 0) as scheduled,
       (select count(*) from due where attempt > 0) + (select count(*) from later where attempt > 0) as deferred,
       (
         select count(*) from (select from deliveries where lease_until is not null and is_due limit :limit) as leased
       ) as sending,
       (select count(*) from (select from deliveries where is_due is null limit :limit) as parked) as parked`,
    { limit: MAX_COUNTED_EMAILS },
  );
  const [{ oldest, ...emails }] = rows;
  return { oldestDueSeconds: Math.round(oldest), emails };
}

/** The number of unfinished emails, by what they are waiting for. Counts at most 10,000 of each. */
type WaitingCounts = { due: number; scheduled: number; deferred: number; sending: number; parked: number };

/** `due` includes scheduled and deferred emails whose time has come. */
export async function countWaiting(db: Knex): Promise<WaitingCounts> {
  const { rows } = await db.raw(
    `select
       (select count(*) from (
         (select from deliveries where ${NEXT} limit :limit)
         union all (select from deliveries where ${HELD_BACK} limit :limit)
         union all (select from deliveries where ${OVERDUE} limit :limit)
         limit :limit
       ) as due) as due,
       (select count(*) from (
         select from deliveries where not is_due and due_at > now() and attempt = 0 limit :limit
       ) as scheduled) as scheduled,
       (select count(*) from (
         select from deliveries where not is_due and due_at > now() and attempt > 0 limit :limit
       ) as deferred) as deferred,
       (
         select count(*) from (select from deliveries where lease_until is not null and is_due limit :limit) as leased
       ) as sending,
       (select count(*) from (select from deliveries where is_due is null limit :limit) as parked) as parked`,
    { limit: MAX_COUNTED_EMAILS },
  );
  return rows[0];
}

/** Which unfinished emails a command of the operator is about. null means any. */
export type WaitingFilter = {
  /** Emails that were to be sent before this time: their `scheduled_at`, or when they were accepted. */
  readonly before: Date | null;
  /** A live workspace. Its test mail belongs to it. */
  readonly workspaceId: string | null;
};

type WaitingEmail = { readonly id: string; readonly isBeingSent: boolean; readonly isAmbiguous: boolean };

/** `last` is the id from which the next page continues; null after the last page. */
type WaitingPage = { readonly emails: readonly WaitingEmail[]; readonly last: string | null };

type PageOptions = {
  readonly after: string;
  readonly size: number;
  readonly onlyParked: boolean;
  readonly filter: WaitingFilter;
};

/**
 * One page of the queue, in id order. It looks at no more than `size` entries, so that a statement is short even if the
 * queue is long and few emails match.
 */
export async function readWaitingPage(
  db: Knex,
  { after, size, onlyParked, filter }: PageOptions,
): Promise<WaitingPage> {
  const { rows } = await db.raw(
    `with page as materialized (
       select email_id, workspace_id, lease_until, ambiguous_attempts from deliveries
       where email_id > :after ${onlyParked ? 'and is_due is null' : ''} order by email_id limit :size
     )
     select email_id as id, lease_until is not null as "isBeingSent", ambiguous_attempts > 0 as "isAmbiguous",
       (:before::timestamptz is null or coalesce(scheduled_at, created_at) < :before)
         and (
           :workspaceId::uuid is null
           or page.workspace_id in (select id from workspaces where :workspaceId in (id, test_of))
         ) as matches
     from page join emails on emails.workspace_id = page.workspace_id and emails.id = email_id
     order by email_id`,
    { after, size, ...filter } as Record<string, Knex.Value>,
  );
  return {
    emails: rows.filter(({ matches }: { matches: boolean }) => matches),
    last: rows.length < size ? null : rows.at(-1).id,
  };
}
