import { MAX_EVENT_ID } from '@posthorn/domain/events';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';

type FanOut = {
  /** How many events of the log were looked at. */
  readonly events: number;
  /** How many webhooks have become due. */
  readonly webhooks: number;
  /** Whether any webhook is enabled. */
  readonly anyWebhook: boolean;
};

/**
 * Finds the webhooks that want the next events of the log, and makes them due. The cursor moves in the same statement,
 * so no event is left out. Only one process at a time can hold the cursor; for all others, there is nothing to do.
 * @param limit how many events to look at
 */
export async function fanOutEvents(db: Db, limit: number): Promise<FanOut> {
  const [row] = await inPipeline(db, (send) => send<FanOut>(FAN_OUT, [limit]));
  return row ?? { events: 0, webhooks: 0, anyWebhook: true };
}

/**
 * `locked` also locks webhooks that are already due. A worker that is ending its lease holds the same lock, so either it
 * sees these events, or `due` is set after it. An idle webhook jumps to the start of this batch, because nothing before
 * it matched. If Postgres crashes and loses this, the next round does it again. While no webhook is enabled, the cursor
 * jumps to the end of the log.
 */
const FAN_OUT: Statement = {
  name: 'fan_out_events',
  text: `
  with held as materialized (
    select position, event_id, set_config('synchronous_commit', 'off', true) from webhook_cursor
    for update skip locked
  ),
  wanted as materialized (
    select exists (select from webhooks where status = 'enabled') as any_webhook, (select event_horizon()) as horizon
  ),
  batch as materialized (
    select event.* from held, wanted, lateral (
      select id, position, workspace_id, type from events
      where any_webhook and position >= held.position and (position, id) > (held.position, held.event_id)
        and position < horizon
      order by position, id limit $1::int
    ) as event
  ),
  locked as materialized (
    select webhook_id from webhook_states
    where webhook_id = any(array(
      select webhooks.id
      from (select distinct workspace_id, type from batch) as batched join webhooks using (workspace_id)
      where status = 'enabled' and type = any(webhooks.events)
    ))
    order by webhook_id for update
  ),
  due as (
    update webhook_states set due_at = least(due_at, now()), (position, event_id) = (
      select * from (values (webhook_states.position, webhook_states.event_id), (held.position, held.event_id)) as place
      where due_at is null or place = (webhook_states.position, webhook_states.event_id)
      order by place desc limit 1
    )
    from held
    where webhook_id = any(array(select webhook_id from locked))
    returning webhook_id
  ),
  moved as (
    update webhook_cursor set position = ending.position, event_id = ending.id
    from (
      (select position, id from batch order by position desc, id desc limit 1)
      union all
      select horizon - 1, '${MAX_EVENT_ID}' from wanted, held
      where not any_webhook and horizon - 1 > held.position
    ) as ending
    where exists (select from held)
  )
  select (select count(*)::int from batch) as events, (select count(*)::int from due) as webhooks,
    (select any_webhook from wanted) as "anyWebhook"`,
};
