import { SYSTEM_WORKSPACE_ID } from '@posthorn/domain/workspaces';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';

/**
 * Counts the next events of the log: recipients that were sent to, bounced or complained. The cursor moves in the same
 * statement, so every event is counted exactly once. Only one process at a time can hold the cursor; for all others,
 * there is nothing to do.
 * @param simulatorDomain addresses at this domain are not counted
 * @param limit how many events to look at
 * @returns how many events were looked at
 */
export async function countEvents(
  db: Db,
  { simulatorDomain, limit }: { simulatorDomain: string; limit: number },
): Promise<number> {
  const values = [limit, `@${simulatorDomain}`];
  const [row] = await inPipeline(db, (send) => send<{ events: number }>(COUNT_EVENTS, values));
  return row?.events ?? 0;
}

/** Events that say that a recipient's mail server has decided about the message. */
const DECIDED = `'email.sent', 'email.delivered', 'email.bounced', 'email.complained'`;

/**
 * A recipient counts as sent with its first event of these types: a message can bounce at once or after it was sent. A
 * person who complains about several emails counts once, with the complaint that suppressed the address; otherwise, two
 * complaints of one person could pause a small workspace. A complaint that hides the person counts too.
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
      select id, position, workspace_id, type, stream_id, sequence, recipient, created_at from events
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
      type = 'email.complained' and (batch.recipient is null or exists (
        select from suppressions
        where suppressions.workspace_id = batch.workspace_id and address = lower(batch.recipient)
          and reason = 'complaint' and email_id = stream_id
      )) as is_complaint,
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
    where type in (${DECIDED}) and right(lower(coalesce(recipient, '')), length($2::text)) <> $2::text
  ),
  counted as materialized (
    select workspace_id, domain_id, hour, count(*) filter (where is_first) as sent,
      count(bounce_class) as bounced,
      count(*) filter (where bounce_class in ('bad_mailbox', 'inactive')) as hard_bounced,
      count(*) filter (where is_complaint) as complained
    from decided group by workspace_id, domain_id, hour
  ),
  new_stats as (
    insert into sending_stats (workspace_id, domain_id, hour, sent, bounced, hard_bounced, complained)
    select workspace_id, domain_id, hour, sent, bounced, hard_bounced, complained from counted
    on conflict (workspace_id, domain_id, hour) do update set
      sent = sending_stats.sent + excluded.sent,
      bounced = sending_stats.bounced + excluded.bounced,
      hard_bounced = sending_stats.hard_bounced + excluded.hard_bounced,
      complained = sending_stats.complained + excluded.complained
  ),
  new_bounces as (
    insert into bounces (workspace_id, id, email_id, sequence, bounce_class)
    select workspace_id, id, stream_id, sequence, bounce_class from decided where bounce_class is not null
    on conflict do nothing
  ),
  changed as materialized (
    select workspace_id, sum(bounced + complained) > 0 as has_bounce_or_complaint from counted group by workspace_id
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
