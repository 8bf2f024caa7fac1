import type { EventCursor, LoggedEvent } from '@posthorn/domain/events';
import { buildWebhookBody, type DeliveryResult, type DueDelivery, type LeasedWebhook } from '@posthorn/domain/webhooks';
import type { Span } from '@posthorn/platform/traces';
import { createSigner, type WebhookClient } from '@posthorn/webhooks';
import { createDeliveryReader } from './delivery-reader.js';
import { createDeliveryRecorder } from './delivery-recorder.js';
import { isGone, pauseOf, resultOf, resultWithoutEvent } from './delivery-result.js';
import { createLogProgress } from './log-progress.js';
import { endPostSpan, startPostSpan } from './post-span.js';
import { repeatInParallel } from './repeat-in-parallel.js';
import { type BreakerState, WebhookBreaker } from './webhook-breaker.js';
import type { WebhookContext } from './webhook-context.js';

/** How many requests a webhook gets at the same time. */
export const REQUESTS_AT_ONCE = 16;
/** A lease ends after this time, so that other due webhooks get a worker. */
const MAX_SENDING_MS = 10_000;

/** How sending to a webhook went, how far it has come in the log, and how many times results were recorded. */
export type LeaseResult = BreakerState & { readonly place: EventCursor; readonly revision: number };

/**
 * Sends a webhook its due events, up to 16 at a time, and records each result. It ends when no event is due, when its
 * time is over, when the receiver fails too often, or when `goesOn` returns false.
 */
export async function deliverToWebhook(
  ctx: WebhookContext,
  { webhook, client, goesOn }: { webhook: LeasedWebhook; client: WebhookClient; goesOn: () => boolean },
): Promise<LeaseResult> {
  const progress = createLogProgress(webhook.place);
  const nextDelivery = createDeliveryReader(ctx, webhook, progress);
  const recorder = createDeliveryRecorder(ctx, webhook, progress);
  const breaker = new WebhookBreaker(webhook.failures);
  const buildRequest = requestBuilder(webhook);
  const outcomes = { delivered: 0, failed: 0 };
  const endsAt = performance.now() + MAX_SENDING_MS;

  async function deliver(delivery: DueDelivery, event: LoggedEvent): Promise<DeliveryResult> {
    const at = new Date();
    const span = startPostSpan(ctx, webhook, delivery);
    const result = await client.post(buildRequest(event, at, span));
    endPostSpan(span, result);
    outcomes[result.error === null ? 'delivered' : 'failed'] += 1;
    if (result.error === null) breaker.succeeded();
    else breaker.failed({ pauseSeconds: pauseOf(result), isGone: isGone(result) });
    return resultOf(delivery, at, result);
  }

  /** @returns whether there was a delivery */
  async function deliverNext(): Promise<boolean> {
    const next = nextDelivery();
    const delivery = next instanceof Promise ? await next : next;
    if (delivery === null) return false;
    const { event } = delivery;
    await recorder.add(event === null ? resultWithoutEvent(delivery) : await deliver(delivery, event));
    return true;
  }

  const mayDeliver = () => goesOn() && breaker.allowsMore() && performance.now() < endsAt;
  if (breaker.isOpen()) await deliverNext();
  await repeatInParallel(REQUESTS_AT_ONCE, () => mayDeliver() && deliverNext());
  const revision = await recorder.untilRecorded();
  for (const [outcome, count] of Object.entries(outcomes)) ctx.metrics.webhookAttempts.inc({ outcome }, count);
  return { ...breaker.state(), place: progress.place(), revision };
}

/** @returns a function that makes the signed request for an event */
function requestBuilder({
  secrets,
}: LeasedWebhook): (event: LoggedEvent, at: Date, span: Span | undefined) => Parameters<WebhookClient['post']>[0] {
  const sign = createSigner(secrets);
  return (event, at, span) => {
    const body = buildWebhookBody(event);
    const signature = sign({ id: event.id, timestampSeconds: Math.floor(at.getTime() / 1_000), body });
    return { headers: span ? { ...signature, traceparent: span.traceparent } : signature, body };
  };
}
