import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type WorkerMetrics = ReturnType<typeof createMetrics>;

/** What /metrics exposes of a worker, in Prometheus' text format. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    attempts: new Counter({
      name: 'posthorn_delivery_attempts_total',
      help: 'Ended attempts, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'posthorn_delivery_attempt_seconds',
      help: 'Time from claim to recorded outcome',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120],
      registers,
    }),
    lostLeases: new Counter({
      name: 'posthorn_lost_leases_total',
      help: 'Outcomes that were not written because another worker had claimed the email',
      registers,
    }),
    inHand: new Gauge({
      name: 'posthorn_deliveries_in_hand',
      help: 'Emails this worker delivers, or has yet to record',
      registers,
    }),
  };
}
