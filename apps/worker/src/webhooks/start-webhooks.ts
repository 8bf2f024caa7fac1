import type { AcceptContext } from '@posthorn/domain/accepting';
import { listenForEvents } from '@posthorn/domain/events';
import { fanOutEvents, notifyWebhookOwners } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { type Loop, startLoop } from '@posthorn/platform/processes';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';
import { startWebhookSender } from './webhook-sender.js';

/**
 * Finds the webhooks that want new events, sends the events to them, and emails their owners.
 * @param accepting accepts the emails to the owners
 */
export function startWebhooks(base: Context & { readonly metrics: WorkerMetrics }, accepting: AcceptContext): Loop {
  const sender = startWebhookSender(base);
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

const EVENTS_PER_STATEMENT = 5_000;

/** While no webhook is enabled, rounds begin at most this often, so that installations without webhooks do not pay for them. */
const WITHOUT_WEBHOOKS_MS = 500;

/**
 * Follows the event log, finds the webhooks that want its events, and makes them due. One process at a time does this;
 * the others find nothing to do. A signal from Redis begins a round at once; without Redis, there is one round per sweep
 * interval.
 * @param onDue called when webhooks have become due
 */
function startFanOut(ctx: Pick<Context, 'config' | 'db' | 'log'>, onDue: () => void): Loop {
  let quietUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  const loop = startLoop(
    async () => {
      const { events, webhooks, anyWebhook } = await fanOutEvents(ctx.db, EVENTS_PER_STATEMENT);
      if (webhooks > 0) onDue();
      if (!anyWebhook) quietUntil = performance.now() + WITHOUT_WEBHOOKS_MS;
      return events === EVENTS_PER_STATEMENT;
    },
    ctx.config.sweepIntervalMs,
    (error) => ctx.log.warn({ error }, 'events_not_fanned_out'),
  );
  const wake = () => {
    timer = undefined;
    loop.wake();
  };
  const signal = listenForEvents(ctx, () => {
    const quietMs = quietUntil - performance.now();
    if (quietMs <= 0) loop.wake();
    else timer ??= setTimeout(wake, quietMs);
  });
  return {
    async stop() {
      signal.close();
      clearTimeout(timer);
      await loop.stop();
    },
  };
}

const NOTIFY_EVERY_MS = 5_000;

/** Emails the owners of webhooks that were disabled. Any number of workers can share the work. */
function startOwnerNotifications(ctx: AcceptContext): Loop {
  return startLoop(
    async () => {
      await notifyWebhookOwners(ctx);
      return false;
    },
    NOTIFY_EVERY_MS,
    (error) => ctx.log.warn({ error }, 'owner_notifications_not_read'),
  );
}
