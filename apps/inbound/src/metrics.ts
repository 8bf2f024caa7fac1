import { createRegistry } from '@posthorn/domain/monitoring';
import type { Context } from '@posthorn/platform';
import { Counter, Gauge } from 'prom-client';

export type InboundMetrics = ReturnType<typeof createMetrics>;

/** The metrics that a bounce listener exposes at /metrics. */
export function createMetrics(ctx: Pick<Context, 'db' | 'redis'>) {
  const registry = createRegistry(ctx);
  const registers = [registry];
  return {
    registry,
    connections: new Gauge({
      name: 'posthorn_inbound_connections',
      help: 'Open SMTP connections from servers that send reports',
      registers,
    }),
    received: new Counter({
      name: 'posthorn_reports_received_total',
      help: 'Reports that were stored or answered with 451 (failed), and recipients that are not ours (refused)',
      labelNames: ['result'],
      registers,
    }),
    processed: new Counter({
      name: 'posthorn_reports_processed_total',
      help: 'Reports that were read, by kind: dsn, feedback_report (complaints), auto_reply, other or unreadable',
      labelNames: ['kind'],
      registers,
    }),
    reported: new Counter({
      name: 'posthorn_reported_recipients_total',
      help: 'What reports said about recipients, including repetitions: delivered, bounced, complained or deferred',
      labelNames: ['event'],
      registers,
    }),
    providerEvents: new Counter({
      name: 'posthorn_provider_events_total',
      help: "Events of relays' providers that were processed, by kind of provider and what came of them: applied, nothing_new, unknown_recipient or unknown_email",
      labelNames: ['feedback', 'result'],
      registers,
    }),
  };
}
