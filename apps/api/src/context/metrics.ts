import type { AcceptContext } from '@posthorn/domain/accepting';
import { createRegistry } from '@posthorn/domain/monitoring';
import type { Context } from '@posthorn/platform';
import { createCachedRead } from '@posthorn/platform/batching';
import { addReadCounter, registerReplicaMetrics } from '@posthorn/platform/metrics';
import { Counter, Histogram, type Registry } from 'prom-client';

/** How long the text is cached. Writing it takes a few milliseconds, and anyone may be able to request it. */
const TEXT_MS = 1_000;

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

export function createApiMetrics(
  ctx: Pick<Context, 'db' | 'redis' | 'replica'>,
  { deliveryJobs }: Pick<AcceptContext, 'deliveryJobs'>,
) {
  const registry = createRegistry(ctx);
  registerReplicaMetrics(registry, ctx);
  addReadCounter(
    registry,
    {
      name: 'posthorn_delivery_jobs_total',
      help: 'Delivery jobs added to Redis, and those that could not be added (lost)',
      labels: ['result'],
    },
    () => Object.entries(deliveryJobs.counts).map(([result, jobs]) => [{ result }, jobs]),
  );
  return {
    registry,
    contentType: registry.contentType,
    /** The metrics as text, rendered at most once a second. */
    readText: createCachedRead(() => registry.metrics(), TEXT_MS),
    requestSeconds: new Histogram({
      name: 'posthorn_http_request_seconds',
      help: 'HTTP request duration in seconds',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [registry],
    }),
    accepted: new Counter({
      name: 'posthorn_emails_accepted_total',
      help: 'Emails accepted with a 202, in both modes',
      registers: [registry],
    }),
    replayed: new Counter({
      name: 'posthorn_idempotent_replays_total',
      help: 'Stored responses returned for a repeated Idempotency-Key',
      registers: [registry],
    }),
    refusals: new Counter({
      name: 'posthorn_refusals_total',
      help: 'Refused requests, by problem code',
      labelNames: ['code'],
      registers: [registry],
    }),
    ...createFeedbackMetrics(registry),
  };
}

/** What relays' providers post. */
function createFeedbackMetrics(registry: Registry) {
  return {
    feedbackRequests: new Counter({
      name: 'posthorn_feedback_requests_total',
      help: 'Requests to feedback URLs by kind of provider and result: events, confirmed, unsubscribed, or why they were refused',
      labelNames: ['feedback', 'result'],
      registers: [registry],
    }),
    feedbackEvents: new Counter({
      name: 'posthorn_feedback_events_total',
      help: "Events of relays' providers that were taken, by kind of provider and of event; those that change nothing are ignored",
      labelNames: ['feedback', 'event'],
      registers: [registry],
    }),
  };
}
