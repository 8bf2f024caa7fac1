import { MAX_EVENT_ID } from '@posthorn/domain/events';
import type { Db, Statement } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** What is true of a webhook at the moment. */
export type WebhookHealth = {
  /** Since when every request has failed; null if the last one succeeded. */
  readonly failingSince: Date | null;
  /** Nothing is sent before this time; null if sending is allowed. */
  readonly pausedUntil: Date | null;
  /** Until when messages are also signed with older secrets; null if only with the current one. */
  readonly oldSecretsExpireAt: Date | null;
};

/** @returns the health of each webhook that exists, by its id */
export async function readWebhookHealth(db: Knex, ids: readonly string[]): Promise<Map<string, WebhookHealth>> {
  const rows: Array<{ id: string } & WebhookHealth> = await db('webhook_states')
    .select({ id: 'webhook_id', failingSince: 'failing_since' })
    .select({ pausedUntil: db.raw('case when paused_until > now() then paused_until end') })
    .select({
      oldSecretsExpireAt: db('webhook_secrets')
        .max('expires_at')
        .whereRaw('webhook_secrets.webhook_id = webhook_states.webhook_id and expires_at > now()'),
    })
    .whereIn('webhook_id', ids);
  return new Map(rows.map(({ id, ...health }) => [id, health]));
}

export const LOCK_WEBHOOK_STATE: Statement = {
  name: 'lock_webhook_state',
  text: 'select from webhook_states where webhook_id = $1::uuid for update',
};

/** SQL: what lets a worker send at once what is waiting for a webhook, even if it was paused after failures. */
export const RESUMED = 'due_at = now(), paused_until = null';

export async function resumeWebhook(trx: Knex, id: string): Promise<void> {
  await trx.raw(`update webhook_states set ${RESUMED} where webhook_id = ?`, [id]);
}

/** Resumes a webhook and forgets its failures, because a user has enabled it again or changed its URL. */
export async function restartWebhook(trx: Knex, id: string): Promise<void> {
  await resumeWebhook(trx, id);
  await trx('webhook_states').where({ webhook_id: id }).update({ failures: 0, failing_since: null });
}

/** The receiver at a new URL has not accepted anything yet. */
export async function unconfirmWebhook(trx: Knex, id: string): Promise<void> {
  await trx('webhook_states').where({ webhook_id: id }).update({ is_confirmed: false });
}

/** A new webhook begins at the end of the log. */
export async function insertWebhookState(trx: Knex, webhookId: string): Promise<void> {
  const endOfLog = { position: trx.raw('event_horizon() - 1'), event_id: MAX_EVENT_ID };
  await trx('webhook_states').insert({ webhook_id: webhookId, ...endOfLog });
}

/**
 * Moves a webhook to the place up to which the fan-out has read the log, unless events are waiting for it. If they are,
 * the webhook is due already; a later time is that of a retry. Its own place can be weeks old, because it moves only
 * when the webhook is due. It must not move further than the fan-out, which may find that later events are waiting.
 *
 * The cursor needs no lock here. The fan-out locks each webhook that wants an event that it reads, so it makes the
 * webhook due either before this statement, which then changes nothing, or after it.
 */
export async function moveToFanOutCursor(trx: Knex, webhookId: string): Promise<void> {
  await trx.raw(
    `update webhook_states set position = webhook_cursor.position, event_id = webhook_cursor.event_id
     from webhook_cursor
     where webhook_id = ? and (due_at is null or due_at > clock_timestamp())
       and (webhook_states.position, webhook_states.event_id) < (webhook_cursor.position, webhook_cursor.event_id)`,
    [webhookId],
  );
}

/** Lets a webhook skip the events of the log that are before this position. */
export async function skipEventsBefore(trx: Knex, webhookId: string, position: number): Promise<void> {
  await trx('webhook_states')
    .where({ webhook_id: webhookId })
    .where('position', '<', position - 1)
    .update({ position: position - 1, event_id: MAX_EVENT_ID });
}

/** Only the webhooks that have been due for longest are looked at. */
const MAX_WEBHOOKS = 100;

/**
 * How many seconds ago the oldest event was written that waits for its first request to a webhook; 0 if none waits.
 * Webhooks that are paused, disabled or not confirmed are left out, because their receivers make them wait. Events that the fan-out has
 * not read yet count too, because no webhook is due while it stands still.
 */
export async function readWebhookLag(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `with due as (
       select webhook_id, position, event_id from webhook_states
       where due_at <= now() and is_confirmed and (paused_until is null or paused_until <= now())
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
