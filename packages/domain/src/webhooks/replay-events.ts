import type { Context } from '../context.js';
import { HOUR_MS } from '../durations.js';
import { Refusal } from '../errors.js';
import { limits } from '../limits.js';
import { replayDelivery, replayFailedDeliveries, replayRange } from './delivery-log-store.js';
import { findLogPosition } from './find-log-position.js';
import { webhookDisabled } from './send-test-event.js';
import type { Webhook } from './webhook.js';
import { resumeWebhook } from './webhook-state-store.js';
import { findWebhook } from './webhook-store.js';

/** The clocks of API processes decide when an event was created, so times do not rise exactly with positions. */
const MAX_CLOCK_DIFFERENCE_MS = HOUR_MS;

/** Which events to send again. */
export type Replay =
  | { readonly eventId: string }
  /** All events that the webhook wants and that were created from `from` on and before `to`. */
  | { readonly from: Date; readonly to: Date }
  /** All that failed or wait to be tried again. */
  | { readonly failed: true };

/**
 * Sends events again, with the same ids as before.
 * @returns how many; null when the workspace has no such webhook
 * @throws Refusal not_found for an event that the webhook never had; conflict when the webhook is disabled or there are
 *   too many events
 */
export async function replayEvents(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  { webhookId, replay }: { webhookId: string; replay: Replay },
): Promise<number | null> {
  const webhook = await findWebhook(db, workspaceId, webhookId);
  if (!webhook) return null;
  if (webhook.status === 'disabled') throw webhookDisabled();
  const count = await replayInDatabase(db, webhook, replay);
  if (count > 0) await resumeWebhook(db, webhookId);
  return count;
}

async function replayInDatabase(
  db: Context['db'],
  { id: webhookId, workspaceId }: Webhook,
  replay: Replay,
): Promise<number> {
  const { max } = limits.replayedEvents;
  if ('eventId' in replay) {
    if (await replayDelivery(db, webhookId, replay.eventId)) return 1;
    throw new Refusal('not_found', { what: 'event among the deliveries of this webhook' });
  }
  if ('failed' in replay) return replayFailedDeliveries(db, webhookId, max);
  const positionAt = (ms: number) => findLogPosition(db, workspaceId, new Date(ms));
  const firstPosition = await positionAt(replay.from.getTime() - MAX_CLOCK_DIFFERENCE_MS);
  if (firstPosition === null) return 0;
  const endPosition = await positionAt(replay.to.getTime() + MAX_CLOCK_DIFFERENCE_MS);
  const { found, replayed } = await replayRange(db, webhookId, { ...replay, firstPosition, endPosition, limit: max });
  if (found <= max) return replayed;
  throw new Refusal('conflict', {
    reason: `More than ${max} events were created between from and to. Replay shorter periods one after another.`,
  });
}
