import type { WebhookDeliveryStatus } from '@posthorn/contract';
import type { EventCursor, LoggedEvent } from '@posthorn/domain/events';
import {
  buildWebhookBody,
  type DeliveryResult,
  type DueDelivery,
  findWebhookBackoffSeconds,
  type LeasedWebhook,
} from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import type { Span } from '@posthorn/platform/traces';
import { createSigner, type PostResult, type WebhookClient } from '@posthorn/webhooks';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';
import { createDeliveryReader, createLogProgress } from './delivery-reader.js';
import { createDeliveryRecorder } from './delivery-recorder.js';
import { type CircuitBreakerState, createWebhookCircuitBreaker } from './webhook-circuit-breaker.js';

type DeliverContext = Pick<Context, 'db' | 'log' | 'now' | 'tracer'> & {
  readonly metrics: Pick<WorkerMetrics, 'webhookAttempts'>;
};

/** How many requests a webhook gets at the same time. */
export const REQUESTS_AT_ONCE = 16;
/** A lease ends after this time, so that other due webhooks get a worker. */
const MAX_SENDING_MS = 10_000;

/** How sending to a webhook went, how far it has come in the log, and how many times results were recorded. */
export type LeaseResult = CircuitBreakerState & { readonly place: EventCursor; readonly revision: number };

/**
 * Sends a webhook its due events, up to 16 at a time, and records each result. It ends when no event is due, when its
 * time is over, when the receiver fails too often, or when `goesOn` returns false.
 */
export async function deliverToWebhook(
  ctx: DeliverContext,
  { webhook, client, goesOn }: { webhook: LeasedWebhook; client: WebhookClient; goesOn: () => boolean },
): Promise<LeaseResult> {
  const progress = createLogProgress(webhook.place);
  const nextDelivery = createDeliveryReader(ctx, webhook, progress);
  const recorder = createDeliveryRecorder(ctx, webhook, progress);
  const breaker = createWebhookCircuitBreaker(webhook.failures);
  const buildRequest = createRequestBuilder(webhook);
  const outcomes = { delivered: 0, failed: 0 };
  const endsAt = performance.now() + MAX_SENDING_MS;

  async function deliver(delivery: DueDelivery, event: LoggedEvent): Promise<DeliveryResult> {
    const at = ctx.now();
    const span = startPostSpan(ctx, webhook, delivery);
    const result = await client.post(buildRequest(event, at, span));
    endPostSpan(span, result);
    outcomes[result.error === null ? 'delivered' : 'failed'] += 1;
    if (result.error === null) breaker.succeeded();
    else breaker.failed({ pauseSeconds: findRequestedPause(result), isGone: result.status === GONE });
    return toResult(delivery, at, result);
  }

  async function deliverNext(): Promise<boolean> {
    const next = nextDelivery();
    const delivery = next instanceof Promise ? await next : next;
    if (delivery === null) return false;
    const { event } = delivery;
    await recorder.add(event === null ? toResultWithoutEvent(delivery) : await deliver(delivery, event));
    return true;
  }

  const mayDeliver = () => goesOn() && breaker.allowsMore() && performance.now() < endsAt;
  if (breaker.isOpen()) await deliverNext();
  await repeatInParallel(REQUESTS_AT_ONCE, () => mayDeliver() && deliverNext());
  const revision = await recorder.untilRecorded();
  for (const [outcome, count] of Object.entries(outcomes)) ctx.metrics.webhookAttempts.inc({ outcome }, count);
  return { ...breaker.state(), place: progress.place(), revision };
}

function createRequestBuilder({
  secrets,
}: LeasedWebhook): (event: LoggedEvent, at: Date, span: Span | undefined) => Parameters<WebhookClient['post']>[0] {
  const sign = createSigner(secrets);
  return (event, at, span) => {
    const body = buildWebhookBody(event);
    const signature = sign({ id: event.id, timestampSeconds: Math.floor(at.getTime() / 1_000), body });
    return { headers: span ? { ...signature, traceparent: span.traceparent } : signature, body };
  };
}

/** With this status, a receiver says that it wants no more events. */
const GONE = 410;
/** With these, Retry-After is about the receiver and not about one event. */
const OVERLOADED: readonly (number | null)[] = [429, 503];

/** @returns how many seconds the receiver asked us to wait; 0 if it did not */
function findRequestedPause({ status, retryAfterSeconds }: PostResult): number {
  return OVERLOADED.includes(status) ? (retryAfterSeconds ?? 0) : 0;
}

/**
 * An event that was answered with 410 is not lost: it waits until the webhook is enabled again, or has a new URL.
 * @param at when the request was made
 */
function toResult(delivery: DueDelivery, at: Date, posted: PostResult): DeliveryResult {
  const { eventId, streamId, sequence, attempt, retries } = delivery;
  const { status, body, bodyTruncated: truncated, error, ms, retryAfterSeconds } = posted;
  const retryInSeconds = error === null ? null : findWebhookBackoffSeconds(retries, retryAfterSeconds);
  return {
    eventId,
    streamId,
    sequence,
    attempt,
    status: toStatus(error, retryInSeconds),
    retryInSeconds,
    made: { at: at.toISOString(), ms, status, body, truncated, error },
  };
}

function toStatus(error: string | null, retryInSeconds: number | null): WebhookDeliveryStatus {
  if (error === null) return 'delivered';
  return retryInSeconds === null ? 'failed' : 'pending';
}

/** For an event that was deleted, for example because its email was. */
function toResultWithoutEvent({ eventId, streamId, sequence, attempt }: DueDelivery): DeliveryResult {
  return { eventId, streamId, sequence, attempt, status: 'failed', retryInSeconds: null, made: null };
}

/**
 * Repeats a step in `count` loops at the same time. A loop ends when the step returns false. If a step throws, the other
 * loops finish the step that they are in, and the error is thrown after that.
 */
async function repeatInParallel(count: number, step: () => boolean | Promise<boolean>): Promise<void> {
  let hasFailed = false;

  async function loop(): Promise<void> {
    try {
      while (!hasFailed && (await step()));
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  const ends = await Promise.allSettled(Array.from({ length: count }, loop));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/**
 * With tracing, a delivery continues the trace of the email that its event is about.
 * @returns undefined if the email is not traced. URLs are not recorded, because they may contain secrets
 */
function startPostSpan(
  { tracer }: Pick<Context, 'tracer'>,
  { id, url }: LeasedWebhook,
  delivery: DueDelivery,
): Span | undefined {
  if (!delivery.traceparent) return undefined;
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(url).hostname,
    'posthorn.webhook.id': id,
    'posthorn.event.id': delivery.eventId,
    'posthorn.event.type': delivery.event?.type,
    'http.request.resend_count': delivery.attempt || undefined,
  };
  return tracer?.startWork('POST', [delivery], { kind: 'client', attributes });
}

function endPostSpan(span: Span | undefined, { status, error }: PostResult): void {
  span?.set({ 'http.response.status_code': status });
  span?.end(error === null ? undefined : String(status ?? 'no_response'));
}
