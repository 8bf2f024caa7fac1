import { deleteBouncesBelow } from '@posthorn/domain/bounces';
import { ERASED_DOMAIN } from '@posthorn/domain/erasure';
import { limits } from '@posthorn/domain/limits';
import { recipientBounceClasses } from '@posthorn/domain/suppressions';
import { SYSTEM_WORKSPACE_ID } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { type Db, deleteInBatches, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { DAY_MS, HOUR_MS, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { CountsForLimits, SendingCounts } from './rates.js';

/**
 * Counts the next events of the log: recipients that were sent to, bounced or complained. The cursor moves in the same
 * statement, so every event is counted exactly once. Only one process at a time can hold the cursor; for all others,
 * there is nothing to do.
 * @param limit how many events to look at
 * @returns how many events were looked at
 */
export async function countEvents(db: Db, { limit }: { limit: number }): Promise<number> {
  const [row] = await inPipeline(db, (send) => send<{ events: number }>(COUNT_EVENTS, [limit]));
  return row?.events ?? 0;
}

const countColumns = [
  ...(['sent', 'bounced', 'hard_bounced', 'counted_bounces'] as const),
  ...(['complained', 'unauthenticated_complaints'] as const),
];

const COUNTS = countColumns.join(', ');

/** Events that say that a recipient's mail server has decided about the message. */
const DECIDED = `'email.sent', 'email.delivered', 'email.bounced', 'email.complained'`;

/** SQL: a list of text values, which are ours. */
const toList = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/**
 * A recipient counts as sent with its first event of these types: a message can bounce at once or after it was sent. A
 * person who complains about several emails counts once, with the complaint that suppressed the address; otherwise, two
 * complaints of one person could pause a small workspace. A complaint that hides the person counts too, and so does one
 * of a person who was erased: otherwise, a sender could erase everyone who may complain. Complaints with and without the
 * signature of a mailbox provider are counted apart. A bounce that was not
 * the reply of a mail server and did not come from a relay of ours is not compared with the limits either. An event of the simulator says so in its data, because its address
 * may have been erased.
 * Each email is looked up by its key, because for a join, Postgres may decide to scan a partition. If Postgres crashes
 * and loses a commit, it loses the counts and the place of the cursor together, so the next round counts again.
 */
const COUNT_EVENTS: Statement = {
  name: 'count_events',
  text: `
  with held as materialized (
    select position, event_id, set_config('synchronous_commit', 'off', true) from sending_stats_cursor
    for update skip locked
  ),
  batch as materialized (
    select event.* from held, (select event_horizon() as horizon) as log, lateral (
      select id, position, workspace_id, type, stream_id, sequence, recipient, data, created_at from events
      where position >= held.position and (position, id) > (held.position, held.event_id) and position < horizon
      order by position, id limit $1::int
    ) as event
  ),
  decided as materialized (
    select batch.id, batch.workspace_id, stream_id, sequence, type, email.domain_id,
      date_trunc('hour', batch.created_at, 'UTC') as hour,
      batch.recipient is not null and (type = 'email.sent' or not exists (
        select from events as earlier
        where earlier.stream_id = batch.stream_id and earlier.sequence < batch.sequence
          and earlier.recipient = batch.recipient and earlier.type in (${DECIDED})
      )) as is_first,
      type = 'email.complained' and (batch.recipient is null or batch.recipient like '%@${ERASED_DOMAIN}' or exists (
        select from suppressions
        where suppressions.workspace_id = batch.workspace_id and address = lower(batch.recipient)
          and reason = 'complaint' and email_id = stream_id and is_authenticated = event.is_authenticated
      )) as is_complaint,
      event.is_authenticated,
      case when type = 'email.bounced' then coalesce(
        (
          select bounce_class from email_recipients
          where email_id = stream_id and address = batch.recipient limit 1
        ),
        'unknown'
      ) end as bounce_class
    from batch
    join workspaces on workspaces.id = batch.workspace_id and test_of is null and workspaces.id <> '${SYSTEM_WORKSPACE_ID}'
    cross join lateral (
      select domain_id from emails where emails.workspace_id = batch.workspace_id and emails.id = stream_id limit 1
    ) as email
    cross join lateral (
      select coalesce((batch.data ->> 'authenticated')::boolean, type = 'email.bounced') as is_authenticated
    ) as event
    where type in (${DECIDED}) and batch.data -> 'simulated' is null
  ),
  counted as materialized (
    select workspace_id, domain_id, hour, count(*) filter (where is_first) as sent,
      count(bounce_class) as bounced,
      count(*) filter (where bounce_class in ('bad_mailbox', 'inactive')) as hard_bounced,
      count(*) filter (
        where bounce_class in (${toList(recipientBounceClasses)}) and is_authenticated
      ) as counted_bounces,
      count(*) filter (where is_complaint and is_authenticated) as complained,
      count(*) filter (where is_complaint and not is_authenticated) as unauthenticated_complaints
    from decided group by workspace_id, domain_id, hour
  ),
  new_stats as (
    insert into sending_stats (workspace_id, domain_id, hour, ${COUNTS})
    select workspace_id, domain_id, hour, ${COUNTS} from counted
    on conflict (workspace_id, domain_id, hour) do update set
      ${countColumns.map((name) => `${name} = sending_stats.${name} + excluded.${name}`).join(', ')}
  ),
  new_bounces as (
    insert into bounces (workspace_id, id, email_id, sequence, bounce_class)
    select workspace_id, id, stream_id, sequence, bounce_class from decided where bounce_class is not null
    on conflict do nothing
  ),
  changed as materialized (
    select workspace_id, sum(counted_bounces + complained) > 0 as has_bounce_or_complaint from counted group by workspace_id
  ),
  newly_due as (
    insert into reputations (workspace_id) select workspace_id from changed where has_bounce_or_complaint
    on conflict (workspace_id) do update set is_due = true
  ),
  due as (
    update reputations set is_due = true
    where workspace_id in (select workspace_id from changed where not has_bounce_or_complaint) and not is_due
  ),
  moved as (
    update sending_stats_cursor set position = ending.position, event_id = ending.id
    from (select position, id from batch order by position desc, id desc limit 1) as ending
    where exists (select from held)
  )
  select count(*)::int as events from batch`,
};

/** The windows over which rates are reported, in hours. */
export const windows = { '24h': 24, '7d': 168, '30d': 720 } as const;

type WindowName = keyof typeof windows;

export type WindowCounts = { readonly [Name in WindowName]: SendingCounts };

/** In the order of `windows`. */
export const windowNames = Object.keys(windows) as WindowName[];

/** What `toDomainCounts` returns for each window. */
export function toWindowCounts(toDomainCounts: (window: WindowName) => SendingCounts): WindowCounts {
  return Object.fromEntries(windowNames.map((name) => [name, toDomainCounts(name)])) as WindowCounts;
}

/** What one sending domain of a workspace has sent; `domainId` is null for the platform domain. */
export type DomainCounts = {
  readonly domainId: string | null;
  /** null for the platform domain, and for a domain that was deleted. */
  readonly name: string | null;
  readonly counts: WindowCounts;
};

type StatsRow = { domain_id: string | null; name: string | null; window: WindowName } & CountRow;

type CountRow = Readonly<Record<(typeof countColumns)[number], number>>;

const SUMS = countColumns.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', ');

/** What each domain of a workspace has sent in the windows, those with most recipients first. */
export async function readDomainCounts(db: Knex, workspaceId: string): Promise<DomainCounts[]> {
  const { rows }: { rows: StatsRow[] } = await db.raw(
    `select domain_id, sending_domains.name, windows.name as window, ${SUMS}
     from sending_stats
     join (values ${Object.entries(windows).map(([name, hours]) => `('${name}', ${hours})`)}) as windows (name, hours)
       on hour > now() - hours * interval '1 hour'
     left join sending_domains on sending_domains.id = domain_id
     where sending_stats.workspace_id = ?
     group by domain_id, sending_domains.name, windows.name`,
    [workspaceId],
  );
  const ids = [...new Set(rows.map((row) => row.domain_id))];
  const domains = ids.map((domainId): DomainCounts => {
    const own = rows.filter((row) => row.domain_id === domainId);
    const toDomainCounts = (window: WindowName) => toCounts(own.find((row) => row.window === window));
    return {
      domainId,
      name: own[0]?.name ?? null,
      counts: toWindowCounts(toDomainCounts),
    };
  });
  return domains.toSorted((a, b) => b.counts['30d'].sent - a.counts['30d'].sent);
}

type LimitsRow = CountRow & { name: string | null; is_since_resume: boolean; since: Date };

/**
 * What the workspace has sent in the window that the limits are about: the last 7 days, but only the hours that began
 * after it was resumed.
 */
export async function readCountsForLimits(db: Knex, workspaceId: string): Promise<CountsForLimits> {
  const { rows }: { rows: LimitsRow[] } = await db.raw(
    `select name, is_since_resume, since, ${SUMS}
     from (
       select id, coalesce(resumed_at > now() - interval '${windows['7d']} hours', false) as is_since_resume,
         greatest(now() - interval '${windows['7d']} hours', resumed_at) as since
       from workspaces where id = ?
     ) as workspace
     left join sending_stats on sending_stats.workspace_id = workspace.id and hour > since
     left join sending_domains on sending_domains.id = domain_id
     group by name, is_since_resume, since order by name`,
    [workspaceId],
  );
  return {
    since: rows[0]?.since ?? new Date(0),
    workspace: sumCounts(rows.map(toCounts)),
    domains: rows.flatMap((row) => (row.name === null ? [] : [{ name: row.name, counts: toCounts(row) }])),
    isSinceResume: rows.some((row) => row.is_since_resume),
  };
}

/**
 * The recipients whose bounces count, newest first, at most `limit`. null stands for one whose event was deleted.
 * @param since only hours that began later
 */
export async function listBouncedRecipients(
  db: Knex,
  workspaceId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<Array<string | null>> {
  const firstHour = Math.floor(since.getTime() / HOUR_MS + 1) * HOUR_MS;
  return db('bounces')
    .leftJoin('events', (join) =>
      join.on('events.stream_id', 'bounces.email_id').andOn('events.sequence', 'bounces.sequence'),
    )
    .where('bounces.workspace_id', workspaceId)
    .where('bounces.id', '>=', toFirstId(firstHour))
    .whereIn('bounce_class', recipientBounceClasses)
    .whereRaw(`coalesce(events.data ->> 'authenticated', 'true') = 'true'`)
    .orderBy('bounces.id', 'desc')
    .limit(limit)
    .pluck('recipient');
}

export function sumCounts(all: readonly SendingCounts[]): SendingCounts {
  const total = (field: keyof SendingCounts) => all.reduce((sum, counts) => sum + counts[field], 0);
  return {
    sent: total('sent'),
    bounced: total('bounced'),
    hardBounced: total('hardBounced'),
    countedBounces: total('countedBounces'),
    complained: total('complained'),
    unauthenticatedComplaints: total('unauthenticatedComplaints'),
  };
}

/** Deletes the counts of hours before this time. */
async function deleteStatsBefore(db: Knex, before: Date): Promise<void> {
  await db('sending_stats').where('hour', '<', before).delete();
}

function toCounts(row: CountRow | undefined): SendingCounts {
  if (!row) return sumCounts([]);
  return {
    sent: row.sent,
    bounced: row.bounced,
    hardBounced: row.hard_bounced,
    countedBounces: row.counted_bounces,
    complained: row.complained,
    unauthenticatedComplaints: row.unauthenticated_complaints,
  };
}

const BOUNCES_PER_STATEMENT = 1_000;

/**
 * Deletes counts and bounces that are too old for any rate.
 * @param now the time according to Postgres
 * @param mayContinue called before each statement. If it returns false, the rest is left for a later call
 */
export async function deleteOldStats(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const before = now.getTime() - limits.sendingStatsDays.max * DAY_MS;
  await deleteStatsBefore(db, new Date(before));
  const below = toFirstId(before);
  await deleteInBatches((size) => deleteBouncesBelow(db, below, size), BOUNCES_PER_STATEMENT, mayContinue);
}
