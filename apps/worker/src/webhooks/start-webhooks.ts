import { type Context, openAcceptContext } from '@posthorn/domain';
import { openReceiverGuard } from '@posthorn/webhooks';
import type { WorkerMetrics } from '../metrics.js';
import type { Loop } from '../start-loop.js';
import { startFanOut } from './fan-out.js';
import { startWebhookSender } from './webhook-sender.js';

/** Finds the webhooks that want new events, and sends the events to them. */
export function startWebhooks(base: Context & { readonly metrics: WorkerMetrics }): Loop {
  const accepting = openAcceptContext(base);
  const sender = startWebhookSender({ ...base, accepting, guard: openReceiverGuard(base.config) });
  const fanOut = startFanOut(base, sender.wake);
  return {
    async stop() {
      await fanOut.stop();
      await sender.stop();
      await accepting.close();
    },
  };
}
