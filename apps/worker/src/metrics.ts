import { type Context, registerBacklogMetrics } from '@posthorn/domain';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type WorkerMetrics = ReturnType<typeof createMetrics>;

/** The metrics that a worker exposes at /metrics, in the Prometheus text format. */
export function createMetrics(ctx: Pick<Context, 'db'>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerBacklogMetrics(registry, ctx);
  const registers = [registry];
  return {
    registry,
    attempts: new Counter({
      name: 'posthorn_attempts_total',
      help: 'Delivery attempts that have ended, by relay and outcome; relay is none if no relay was used',
      labelNames: ['relay', 'outcome'],
      registers,
    }),
    acceptToSent: new Histogram({
      name: 'posthorn_accept_to_sent_seconds',
      help: 'Seconds from the acceptance or the scheduled time of an email until a mail server accepted it',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 43_200, 259_200],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'posthorn_delivery_attempt_seconds',
      help: 'Seconds from the claim of an email until its outcome is recorded',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120],
      registers,
    }),
    lostLeases: new Counter({
      name: 'posthorn_lost_leases_total',
      help: 'Outcomes that were not recorded because another worker had claimed the email',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'posthorn_webhook_attempts_total',
      help: 'Requests to webhooks, by outcome: delivered or failed',
      labelNames: ['outcome'],
      registers,
    }),
    sweepFailures: new Counter({
      name: 'posthorn_sweep_failures_total',
      help: 'Rounds of the sweep in which a claim failed, or emails could not be marked as due',
      registers,
    }),
    inHand: new Gauge({
      name: 'posthorn_deliveries_in_hand',
      help: 'Emails being delivered or waiting for their outcome to be recorded',
      registers,
    }),
  };
}
