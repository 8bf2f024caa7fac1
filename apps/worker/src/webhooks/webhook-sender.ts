import { limits } from '@posthorn/domain/limits';
import {
  disableWebhook,
  endWebhookLease,
  extendWebhookLeases,
  type LeasedWebhook,
  leaseWebhooks,
} from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { startLoop, type WakeableLoop } from '@posthorn/platform/processes';
import { DAY_MS } from '@posthorn/platform/values';
import { createSsrfGuard } from '@posthorn/webhooks';
import { getExtensionMs } from '../delivering/leases.js';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';
import { type ClientPool, openClientPool } from './client-pool.js';
import { deliverToWebhook, type LeaseResult, type WebhookTurn } from './deliver-to-webhook.js';
import { listReceiverLimits } from './receiver-limits.js';
import { openRequestPermits, type RequestPermits } from './request-permits.js';
import { type CutResponse, createResponseBudget } from './response-budget.js';
import { createWebhookSlots, type Held } from './webhook-slots.js';

type WebhookContext = Context & { readonly metrics: WorkerMetrics };

type Connections = {
  readonly clients: ClientPool;
  readonly permits: RequestPermits;
  readonly cutResponse: CutResponse;
};

/**
 * Sends due deliveries. A worker leases a webhook as a whole, so each webhook has one sender at a time, and a slow or
 * dead receiver delays no other. `leaseWebhooks` shares the worker's slots between workspaces. If the worker dies,
 * another one takes over when the lease expires, and sends again what was not recorded.
 */
export function startWebhookSender(ctx: WebhookContext): WakeableLoop {
  const slots = createWebhookSlots(() => loop.wake());
  const leases = new Set<Promise<void>>();
  const connections = openConnections(ctx);
  const extending = setInterval(() => void extendLeases(ctx, [...slots.held]), getExtensionMs(ctx.config)).unref();

  async function holdLease(webhook: LeasedWebhook, goesOn: () => boolean): Promise<void> {
    const lease = slots.hold(webhook);
    try {
      await runLease(ctx, connections, {
        webhook,
        goesOn: (isWanted) => goesOn() && slots.goesOn(lease, isWanted),
        onEnd: lease.onEnd,
      });
    } catch (error) {
      ctx.log.warn({ error, webhookId: webhook.id }, 'webhook_sending_failed');
    } finally {
      slots.held.delete(lease);
    }
  }

  const loop = startLoop(
    async (goesOn) => {
      const free = slots.free();
      const leased = free.free === 0 ? [] : await leaseWebhooks(ctx, free);
      slots.setCrowded(leased.length >= free.free);
      for (const webhook of leased) {
        const lease = holdLease(webhook, goesOn).finally(() => {
          leases.delete(lease);
          // More may be due for this webhook, and another one may wait for the free slot.
          loop.wake();
        });
        leases.add(lease);
      }
      return false;
    },
    ctx.config.sweepIntervalMs,
    (error) => ctx.log.warn({ error }, 'webhooks_not_leased'),
  );
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(leases);
      clearInterval(extending);
      slots.stop();
      connections.permits.close();
      await connections.clients.close();
    },
  };
}

function openConnections(ctx: WebhookContext): Connections {
  const guard = createSsrfGuard(ctx.config);
  return { clients: openClientPool(guard), permits: openRequestPermits(ctx), cutResponse: createResponseBudget() };
}

async function runLease(
  ctx: WebhookContext,
  { clients, permits, cutResponse }: Connections,
  turn: Pick<WebhookTurn, 'webhook' | 'onEnd'> & { readonly goesOn: (isWanted: boolean) => boolean },
): Promise<void> {
  const { webhook } = turn;
  const result = await clients.use(webhook, async ({ client, addresses, forget }) => {
    const own = permits.open(listReceiverLimits(webhook, addresses));
    const goesOn = () => turn.goesOn(own.areWanted());
    const ended = await deliverIfPermitted(ctx, { ...turn, client, permits: own, cutResponse, goesOn });
    if (ended.failures > 0) forget();
    return ended;
  });
  const { id, lease, url } = webhook;
  const failingSince = await endWebhookLease(ctx.db, { id, lease, url, ...result });
  await disableIfUseless(ctx, webhook, result, failingSince);
}

/** Events are read only if there is room for a request. Otherwise, the webhook is given back unchanged. */
async function deliverIfPermitted(ctx: WebhookContext, turn: WebhookTurn): Promise<LeaseResult> {
  const { permits, webhook } = turn;
  if (await permits.begin()) return deliverToWebhook(ctx, turn).finally(permits.end);
  const { place, revision, failures } = webhook;
  const unchanged = { place, revision, failures, hasSucceeded: false, isGone: false, isSlow: false };
  return { ...unchanged, pauseSeconds: 0, postponeSeconds: permits.postponeSeconds() };
}

async function disableIfUseless(
  ctx: WebhookContext,
  webhook: LeasedWebhook,
  { isGone }: LeaseResult,
  failingSince: Date | null,
): Promise<void> {
  if (isGone) return disableWebhook(ctx, webhook, 'gone');
  if (failingSince === null) return;
  const failingMs = ctx.now().getTime() - failingSince.getTime();
  if (failingMs >= limits.webhookFailingDays.max * DAY_MS) await disableWebhook(ctx, webhook, 'failing');
}

/** A lease that cannot be extended may belong to another worker by now, so sending stops. */
async function extendLeases({ db, log, config }: WebhookContext, held: readonly Held[]): Promise<void> {
  if (held.length === 0) return;
  try {
    const leases = held.map(({ webhook: { id, lease } }) => ({ id, lease }));
    const ours = await extendWebhookLeases(db, leases, config.leaseSeconds);
    for (const lease of held) if (!ours.has(lease.webhook.id)) lease.isLost = true;
  } catch (error) {
    log.warn({ error, webhooks: held.length }, 'webhook_leases_not_extended');
  }
}
