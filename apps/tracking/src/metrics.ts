import { createRegistry } from '@posthorn/domain/monitoring';
import type { Context } from '@posthorn/platform';
import { Counter } from 'prom-client';

export type TrackingMetrics = ReturnType<typeof createMetrics>;

/** The metrics that a tracking listener exposes at /metrics. */
export function createMetrics(ctx: Pick<Context, 'db' | 'redis'>) {
  const registry = createRegistry(ctx);
  const registers = [registry];
  return {
    registry,
    responses: new Counter({
      name: 'posthorn_tracking_responses_total',
      help: 'Responses to requests for tracked links and images, by status',
      labelNames: ['status'],
      registers,
    }),
    hits: new Counter({
      name: 'posthorn_hits_total',
      help: 'Opens and clicks that were recorded, refused by Postgres (failed), or not kept during an outage (dropped)',
      labelNames: ['result'],
      registers,
    }),
  };
}
