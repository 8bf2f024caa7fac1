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
import type { Permits } from './request-permits.js';
import type { CutResponse } from './response-budget.js';
import type { RequestEnd } from './used-limit.js';
import { type CircuitBreakerState, createWebhookCircuitBreaker } from './webhook-circuit-breaker.js';

type DeliverContext = Pick<Context, 'db' | 'log' | 'now' | 'tracer'> & {
  readonly metrics: Pick<WorkerMetrics, 'webhookAttempts'>;
};

/** How many requests a webhook gets at the same time. */
export const REQUESTS_AT_ONCE = 16;
/** A lease ends after this time, so that other due webhooks get a worker. */
const MAX_SENDING_MS = 10_000;

/** From this average on, a receiver is slow. */
export const SLOW_MS = 1_000;

/** How sending to a webhook went, how far it has come in the log, and how many times results were recorded. */
export type LeaseResult = CircuitBreakerState & {
  readonly place: EventCursor;
  readonly revision: number;
  readonly isSlow: boolean;
  readonly postponeSeconds: number;
};

/** @property onEnd called when a request has ended */
export type WebhookTurn = {
  readonly webhook: LeasedWebhook;
  readonly client: WebhookClient;
  readonly permits: Permits;
  readonly cutResponse: CutResponse;
  readonly goesOn: () => boolean;
  readonly onEnd: () => void;
};

/**
 * Sends a webhook its due events, up to 16 at a time, and records each result. It ends when no event is due, when its
 * time is over, when the receiver fails too often, when there is no permit for its host, or when `goesOn` returns false.
 */
export async function deliverToWebhook(ctx: DeliverContext, turn: WebhookTurn): Promise<LeaseResult> {
  const { webhook, permits, cutResponse, goesOn } = turn;
  const progress = createLogProgress(webhook.place);
  const nextDelivery = createDeliveryReader(ctx, webhook, progress);
  const recorder = createDeliveryRecorder(ctx, webhook, progress);
  const breaker = createWebhookCircuitBreaker(webhook);
  const post = createPoster(ctx, turn);
  const counts = { delivered: 0, failed: 0, ms: 0 };
  const endsAt = performance.now() + MAX_SENDING_MS;

  function count({ error, ms, status, retryAfterSeconds }: PostResult): void {
    counts[error === null ? 'delivered' : 'failed'] += 1;
    counts.ms += ms;
    if (error === null) breaker.succeeded();
    else breaker.failed({ pauseSeconds: findRequestedPause({ status, retryAfterSeconds }), isGone: status === GONE });
  }

  async function deliverNext(mayDeliver: () => boolean): Promise<boolean> {
    const next = nextDelivery();
    const delivery = next instanceof Promise ? await next : next;
    if (delivery === null) return false;
    const { event } = delivery;
    if (event === null) await recorder.add(toResultWithoutEvent(delivery));
    else {
      const posted = await post(delivery, event, mayDeliver);
      if (posted === null) return false;
      count(posted.result);
      const stored = { ...posted.result, ...cutResponse(webhook.workspaceId, posted.result) };
      await recorder.add(toResult(delivery, posted.at, stored));
    }
    return true;
  }

  const mayDeliver = () => goesOn() && breaker.allowsMore() && performance.now() < endsAt;
  if (breaker.needsProof()) await deliverNext(goesOn);
  await repeatInParallel(REQUESTS_AT_ONCE, () => mayDeliver() && deliverNext(mayDeliver));
  const revision = await recorder.untilRecorded();
  const { delivered, failed, ms } = counts;
  ctx.metrics.webhookAttempts.inc({ outcome: 'delivered' }, delivered);
  ctx.metrics.webhookAttempts.inc({ outcome: 'failed' }, failed);
  const isSlow = ms > SLOW_MS * (delivered + failed);
  return { ...breaker.state(), place: progress.place(), revision, isSlow, postponeSeconds: permits.postponeSeconds() };
}

/**
 * @returns a function that makes one request, or returns null if there is no permit for it, or if the permit comes when
 *   nothing may be delivered any more. The event is then read again in the next lease
 */
function createPoster(ctx: DeliverContext, { webhook, client, permits, onEnd }: WebhookTurn) {
  const buildRequest = createRequestBuilder(webhook);
  return async (delivery: DueDelivery, event: LoggedEvent, mayDeliver: () => boolean) => {
    const permit = permits.take();
    if (permit !== true && !(await permit)) return null;
    let end: RequestEnd = 'not made';
    try {
      if (permit !== true && !mayDeliver()) return null;
      const at = ctx.now();
      const span = startPostSpan(ctx, webhook, delivery);
      const result = await client.post(buildRequest(event, at, span));
      endPostSpan(span, result);
      end = toEnd(result);
      return { at, result };
    } finally {
      permits.release(end);
      onEnd();
    }
  };
}

function toEnd({ error, status }: PostResult): RequestEnd {
  if (error === null) return 'accepted';
  return status === null ? 'unanswered' : 'refused';
}

function createRequestBuilder({
  secrets,
  url,
}: LeasedWebhook): (event: LoggedEvent, at: Date, span: Span | undefined) => Parameters<WebhookClient['post']>[0] {
  const sign = createSigner(secrets);
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  return (event, at, span) => {
    const body = buildWebhookBody(event);
    const signature = sign({ id: event.id, timestampSeconds: Math.floor(at.getTime() / 1_000), body });
    return { headers: span ? { ...signature, traceparent: span.traceparent } : signature, body, path };
  };
}

/** With this status, a receiver says that it wants no more events. */
const GONE = 410;
/** With these, Retry-After is about the receiver and not about one event. */
const OVERLOADED: readonly (number | null)[] = [429, 503];

/** @returns how many seconds the receiver asked us to wait; 0 if it did not */
function findRequestedPause({ status, retryAfterSeconds }: Pick<PostResult, 'status' | 'retryAfterSeconds'>): number {
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
