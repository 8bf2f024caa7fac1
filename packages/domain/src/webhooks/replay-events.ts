import { conflict, invalid, Refusal } from '@posthorn/domain/errors';
import { insertStandaloneEvent } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { getIdTime, HOUR_MS, newId, toFirstId } from '@posthorn/platform/values';
import { insertTestDelivery } from './delivery-log-store.js';
import { findLogPosition, hasDelivery, replayDelivery, replayFailedDeliveries, replayRange } from './replay-store.js';
import { oldestReplayable, type Webhook } from './webhook.js';
import { resumeWebhook } from './webhook-state-store.js';
import { findWebhook } from './webhook-store.js';

/** The clocks of API processes decide when an event was created, so times do not rise exactly with positions. */
const MAX_CLOCK_DIFFERENCE_MS = HOUR_MS;

/** Which events to send again. */
export type Replay =
  | { readonly eventId: string }
  /** All events that the webhook wants and that were created from `from` on and before `to`. */
  | { readonly from: Date; readonly to: Date }
  /** All that failed or wait to be tried again, and are not too old. */
  | { readonly failed: true };

/**
 * Sends events again, with the same ids as before.
 * @returns how many; null when the workspace has no such webhook
 * @throws Refusal validation_failed for an event or a period that is too old, or a period that has not begun; not_found for an event that the webhook
 *   never had; conflict when the webhook is disabled or there are too many events
 */
export async function replayEvents(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  { webhookId, replay }: { webhookId: string; replay: Replay },
): Promise<number | null> {
  const webhook = await findWebhook(ctx.db, workspaceId, webhookId);
  if (!webhook) return null;
  if (webhook.status === 'disabled') throw webhookDisabled();
  return replayInDatabase(ctx, webhook, replay);
}

async function replayInDatabase(
  ctx: Pick<Context, 'db' | 'now'>,
  { id: webhookId, workspaceId }: Webhook,
  replay: Replay,
): Promise<number> {
  const { db } = ctx;
  const { max } = limits.replayedEvents;
  const oldest = oldestReplayable(ctx);
  if ('eventId' in replay) {
    const isTooOld = getIdTime(replay.eventId) < oldest.getTime();
    if (isTooOld && (await hasDelivery(db, webhookId, replay.eventId))) throw eventTooOld();
    if (!isTooOld && (await replayDelivery(db, webhookId, replay.eventId))) return 1;
    throw new Refusal('not_found', { what: 'event among the deliveries of this webhook' });
  }
  if ('failed' in replay)
    return replayFailedDeliveries(db, webhookId, { from: toFirstId(oldest.getTime()), limit: max });
  if (replay.from < oldest) throw periodTooOld();
  if (replay.from > ctx.now()) throw invalid({ field: 'from', message: 'must not be in the future' });
  const positionAt = (ms: number) => findLogPosition(db, workspaceId, new Date(ms));
  const firstPosition = await positionAt(replay.from.getTime() - MAX_CLOCK_DIFFERENCE_MS);
  if (firstPosition === null) return 0;
  const endPosition = await positionAt(replay.to.getTime() + MAX_CLOCK_DIFFERENCE_MS);
  const { found, replayed } = await replayRange(db, webhookId, { ...replay, firstPosition, endPosition, limit: max });
  if (found <= max) return replayed;
  throw conflict(`More than ${max} events were created between from and to. Replay shorter periods one after another.`);
}

const MAX_AGE = `${limits.webhookEventDays.max} days`;

function eventTooOld(): Refusal {
  const message = `names an event that is more than ${MAX_AGE} old and cannot be replayed. Read it with GET /api/v1/events`;
  return invalid({ field: 'event_id', message });
}

function periodTooOld(): Refusal {
  const message = `is more than ${MAX_AGE} ago, and older events cannot be replayed. Choose a later time, and read older events with GET /api/v1/events`;
  return invalid({ field: 'from', message });
}

/**
 * Sends a `webhook.test` event to this webhook alone, whatever events it has chosen.
 * @returns the id of the event; null when the workspace has no such webhook
 * @throws Refusal conflict when the webhook is disabled
 */
export function sendTestEvent(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  webhookId: string,
): Promise<string | null> {
  return ctx.db.transaction(async (trx) => {
    const webhook = await findWebhook(trx, workspaceId, webhookId);
    if (!webhook) return null;
    if (webhook.status === 'disabled') throw webhookDisabled();
    const id = newId();
    const data = { webhook_id: webhookId };
    await insertStandaloneEvent(trx, {
      id,
      workspaceId,
      type: 'webhook.test',
      detail: null,
      data,
      createdAt: ctx.now(),
    });
    await insertTestDelivery(trx, { webhookId, workspaceId, eventId: id });
    await resumeWebhook(trx, webhookId);
    return id;
  });
}

function webhookDisabled(): Refusal {
  return conflict('The webhook is disabled. Enable it first: PATCH it with {"status": "enabled"}.');
}
