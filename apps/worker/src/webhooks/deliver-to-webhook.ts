import {
  type DeliveryResult,
  type DueDelivery,
  type LeasedWebhook,
  webhookBody,
  webhookRetryInSeconds,
} from '@posthorn/domain';
import { openSigner, type PostResult, type Receiver } from '@posthorn/webhooks';
import { openDeliveryRecorder } from './delivery-recorder.js';
import { openDueDeliveries } from './due-deliveries.js';
import { WebhookBreaker } from './webhook-breaker.js';
import type { WebhookContext } from './webhook-context.js';

/** How many requests a webhook gets at the same time. */
export const REQUESTS_AT_ONCE = 16;
/** After this time, the webhook is given back, so that webhooks take turns if there are more than a worker can serve. */
const MAX_TURN_MS = 10_000;

/** How sending to a webhook went. */
export type Turn = { readonly failures: number; readonly pauseSeconds: number; readonly isGone: boolean };

/**
 * Sends the due deliveries of a webhook, several at a time, and records each result. It ends when none is left, when the
 * turn is over, when the receiver fails too often, or when `goesOn` returns false.
 */
export async function deliverToWebhook(
  ctx: WebhookContext,
  { webhook, receiver, goesOn }: { webhook: LeasedWebhook; receiver: Receiver; goesOn: () => boolean },
): Promise<Turn> {
  const sign = openSigner(webhook.secrets);
  const breaker = new WebhookBreaker(webhook.failures);
  const nextDelivery = openDueDeliveries(ctx, webhook);
  const recorder = openDeliveryRecorder(ctx, webhook.id);
  const endsAt = performance.now() + MAX_TURN_MS;
  let isGone = false;

  async function deliver(delivery: DueDelivery): Promise<void> {
    const { event } = delivery;
    if (event === null) return recorder.add(resultWithoutEvent(delivery));
    const body = webhookBody(event);
    const at = new Date();
    const headers = sign({ id: event.id, timestampSeconds: Math.floor(at.getTime() / 1_000), body });
    const reply = await receiver.post({ headers, body });
    isGone ||= reply.status === GONE;
    if (reply.error === null) breaker.succeeded();
    else breaker.failed(pauseOf(reply));
    ctx.metrics.webhookAttempts.inc({ outcome: reply.error === null ? 'delivered' : 'failed' });
    await recorder.add(resultOf(delivery, at, reply));
  }

  async function deliverUntilEnd(): Promise<void> {
    while (goesOn() && !isGone && breaker.allowsMore() && performance.now() < endsAt) {
      const delivery = await nextDelivery();
      if (delivery === null) return;
      await deliver(delivery);
    }
  }

  if (breaker.isOpen()) {
    const probe = await nextDelivery();
    if (probe) await deliver(probe);
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, deliverUntilEnd));
  await recorder.untilRecorded();
  return { ...breaker.state(), isGone };
}

const GONE = 410;
/** With these, Retry-After is about the receiver and not about one event. */
const OVERLOADED: readonly (number | null)[] = [429, 503];
const MAX_REQUESTED_PAUSE_SECONDS = 3_600;

function pauseOf({ status, retryAfterSeconds }: PostResult): number {
  if (retryAfterSeconds === null || !OVERLOADED.includes(status)) return 0;
  return Math.min(retryAfterSeconds, MAX_REQUESTED_PAUSE_SECONDS);
}

function resultOf(
  { eventId, attempt, retries }: DueDelivery,
  at: Date,
  { status, body, error, ms, retryAfterSeconds }: PostResult,
): DeliveryResult {
  const made = { at, ms, status, body, error };
  if (error === null) return { eventId, attempt, status: 'delivered', retryInSeconds: null, made };
  const retryInSeconds = status === GONE ? null : webhookRetryInSeconds(retries, retryAfterSeconds);
  return { eventId, attempt, status: retryInSeconds === null ? 'failed' : 'pending', retryInSeconds, made };
}

/** The event was deleted, for example because its email was. */
function resultWithoutEvent({ eventId, attempt }: DueDelivery): DeliveryResult {
  return { eventId, attempt, status: 'failed', retryInSeconds: null, made: null };
}
