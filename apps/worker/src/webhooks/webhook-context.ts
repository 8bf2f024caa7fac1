import type { Context } from '@posthorn/platform';
import type { ReceiverGuard } from '@posthorn/webhooks';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';

export type WebhookContext = Context & {
  readonly guard: ReceiverGuard;
  readonly metrics: WorkerMetrics;
};
