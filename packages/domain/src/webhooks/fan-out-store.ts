import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';

/** @property events how many events of the log were looked at. @property deliveries how many were created */
export type FanOut = { readonly events: number; readonly deliveries: number };

/**
 * Turns the next events of the log into deliveries, one for each webhook that wants the event. The cursor moves in the
 * same statement, so each event does this exactly once. Only one process at a time can hold the cursor; for all others,
 * there is nothing to do.
 * @param limit how many events to look at
 */
export async function fanOutEvents(db: Db, limit: number): Promise<FanOut> {
  const [row] = await inPipeline(db, (send) => send<FanOut>(FAN_OUT, [limit]));
  return row ?? { events: 0, deliveries: 0 };
}

/**
 * While no webhook is enabled, the cursor jumps to the end of the log. `states` must lock its rows after the deliveries
 * were created: a worker that ends a lease locks its row before it looks for waiting deliveries, so it either sees the
 * new ones or has its changes overwritten here.
 */
const FAN_OUT: Statement = {
  name: 'fan_out_events',
  text: `
  with held as materialized (
    select position, event_id from webhook_cursor for update skip locked
  ),
  wanted as materialized (
    select exists (select from webhooks where status = 'enabled') as any_webhook, (select event_horizon()) as horizon
  ),
  batch as materialized (
    select event.* from held, wanted, lateral (
      select id, stream_id, sequence, position, workspace_id, type, created_at from events
      where any_webhook and position >= held.position and (position, id) > (held.position, held.event_id)
        and position < horizon
      order by position, id limit $1::int
    ) as event
  ),
  matching as (
    select webhooks.id as webhook_id, batch.id as event_id, batch.workspace_id, stream_id, sequence
    from batch join webhooks on webhooks.workspace_id = batch.workspace_id
    where webhooks.status = 'enabled' and batch.type = any(webhooks.events)
      and (
        (domain_ids is null and tags is null)
        or exists (
          select from emails
          where emails.workspace_id = batch.workspace_id and emails.id = batch.stream_id
            and (domain_ids is null or emails.domain_id = any(domain_ids)) and (webhooks.tags is null or emails.tags && webhooks.tags)
        )
      )
  ),
  created as (
    insert into webhook_deliveries (webhook_id, event_id, workspace_id, stream_id, sequence, due_at)
    select webhook_id, event_id, workspace_id, stream_id, sequence, now() from matching
    returning webhook_id
  ),
  states as (
    update webhook_states set due_at = now()
    where webhook_id = any(array(select distinct webhook_id from created)) and (due_at is null or due_at > now())
  ),
  moved as (
    update webhook_cursor set position = ending.position, event_id = ending.id
    from (
      (select position, id from batch order by position desc, id desc limit 1)
      union all
      select horizon - 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff' from wanted, held
      where not any_webhook and horizon - 1 > held.position
    ) as ending
    where exists (select from held)
  )
  select (select count(*)::int from batch) as events, (select count(*)::int from created) as deliveries`,
};
