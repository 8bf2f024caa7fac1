import type { Context } from '@posthorn/platform';
import type { SsrfGuard } from '@posthorn/webhooks';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';

export type WebhookContext = Context & {
  readonly guard: SsrfGuard;
  readonly metrics: WorkerMetrics;
};
