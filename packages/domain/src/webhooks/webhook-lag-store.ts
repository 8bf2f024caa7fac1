import type { Db } from '@posthorn/platform/postgres';

/** Only the webhooks that have been due for longest are looked at. */
const MAX_WEBHOOKS = 100;

/**
 * How many seconds ago the oldest event was written that waits for its first request to a webhook; 0 if none waits.
 * Webhooks that are paused or disabled are left out, because their receivers make them wait. Events that the fan-out has
 * not read yet count too, because no webhook is due while it stands still.
 */
export async function readWebhookLag(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `with due as (
       select webhook_id, position, event_id from webhook_states
       where due_at <= now() and (paused_until is null or paused_until <= now())
       order by due_at limit ?
     ),
     first_waiting as (
       select event.created_at
       from due join webhooks on webhooks.id = webhook_id and status = 'enabled', lateral (
         select created_at from events
         where events.workspace_id = webhooks.workspace_id and events.position >= due.position
           and (events.position, events.id) > (due.position, due.event_id) and events.type = any(webhooks.events)
         order by events.position, events.id limit 1
       ) as event
     ),
     not_fanned_out as (
       select event.created_at
       from webhook_cursor, lateral (
         select created_at from events
         where events.position >= webhook_cursor.position
           and (events.position, events.id) > (webhook_cursor.position, webhook_cursor.event_id)
         order by events.position, events.id limit 1
       ) as event
       where exists (select from webhooks where status = 'enabled')
     )
     select coalesce(greatest(0, extract(epoch from now() - min(created_at))), 0)::float as lag
     from (select created_at from first_waiting union all select created_at from not_fanned_out) as waiting`,
    [MAX_WEBHOOKS],
  );
  return rows[0].lag;
}
