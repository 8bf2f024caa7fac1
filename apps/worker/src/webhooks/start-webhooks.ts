import type { AcceptContext } from '@posthorn/domain/accepting';
import type { Context } from '@posthorn/platform';
import type { Loop } from '@posthorn/platform/processes';
import { createSsrfGuard } from '@posthorn/webhooks';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';
import { startFanOut } from './fan-out.js';
import { startOwnerNotifications } from './owner-notifications.js';
import { startWebhookSender } from './webhook-sender.js';

/**
 * Finds the webhooks that want new events, sends the events to them, and emails their owners.
 * @param accepting accepts the emails to the owners
 */
export function startWebhooks(base: Context & { readonly metrics: WorkerMetrics }, accepting: AcceptContext): Loop {
  const sender = startWebhookSender({ ...base, guard: createSsrfGuard(base.config) });
  const fanOut = startFanOut(base, sender.wake);
  const ownerNotifications = startOwnerNotifications(accepting);
  return {
    async stop() {
      await fanOut.stop();
      await sender.stop();
      await ownerNotifications.stop();
    },
  };
}
