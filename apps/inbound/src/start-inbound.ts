import { type Context, closeContext } from '@posthorn/platform';
import type { Registry } from 'prom-client';
import { createMetrics } from './metrics.js';
import { startProcessing } from './process-reports.js';
import { startListener } from './smtp-listener.js';

type RunningInbound = {
  /** The port that the listener got. */
  readonly port: number;
  readonly registry: Registry;
  /** Takes no new messages, finishes the reports in hand, then closes. */
  stop(): Promise<void>;
};

/**
 * Receives bounces and complaints by SMTP, and applies them to the emails that they are about. Any number of these
 * processes can run at the same time.
 */
export async function startInbound(ctx: Context): Promise<RunningInbound> {
  const metrics = createMetrics(ctx);
  const processing = startProcessing({ ...ctx, metrics });
  const listener = await startListener({ ...ctx, metrics }, { onReport: processing.wake });
  return {
    port: listener.port,
    registry: metrics.registry,
    async stop() {
      await listener.close();
      await processing.stop();
      await closeContext(ctx);
    },
  };
}
