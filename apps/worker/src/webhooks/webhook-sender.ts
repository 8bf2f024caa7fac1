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
import { createSsrfGuard, createWebhookClient, type SsrfGuard, type WebhookClient } from '@posthorn/webhooks';
import { getExtensionMs } from '../delivering/leases.js';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';
import { deliverToWebhook, type LeaseResult, REQUESTS_AT_ONCE } from './deliver-to-webhook.js';

/** How many webhooks a worker sends to at the same time. */
const MAX_WEBHOOKS_AT_ONCE = 50;

type WebhookContext = Context & { readonly metrics: WorkerMetrics };

/** A webhook whose lease this worker has, until it is lost or given back. */
type Held = { readonly webhook: LeasedWebhook; isLost: boolean };

/**
 * Sends due deliveries. A worker leases a webhook as a whole, so each webhook has one sender at a time, and a slow or
 * dead receiver delays no other. `leaseWebhooks` shares the worker's slots between workspaces. If the worker dies,
 * another one takes over when the lease expires, and sends again what was not recorded.
 */
export function startWebhookSender(ctx: WebhookContext): WakeableLoop {
  const held = new Set<Held>();
  const leases = new Set<Promise<void>>();
  const clients = openClientPool(createSsrfGuard(ctx.config));
  const extending = setInterval(() => void extendLeases(ctx, [...held]), getExtensionMs(ctx.config)).unref();

  async function holdLease(webhook: LeasedWebhook, goesOn: () => boolean): Promise<void> {
    const lease: Held = { webhook, isLost: false };
    held.add(lease);
    try {
      await runLease(ctx, { webhook, clients, goesOn: () => goesOn() && !lease.isLost });
    } catch (error) {
      ctx.log.warn({ error, webhookId: webhook.id }, 'webhook_sending_failed');
    } finally {
      held.delete(lease);
    }
  }

  const loop = startLoop(
    async (goesOn) => {
      for (const webhook of await leaseFree(ctx, held)) {
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
      await clients.close();
    },
  };
}

async function leaseFree(ctx: WebhookContext, held: ReadonlySet<Held>): Promise<LeasedWebhook[]> {
  const free = MAX_WEBHOOKS_AT_ONCE - held.size;
  if (free === 0) return [];
  const slotsByWorkspace = new Map<string, number>();
  for (const { webhook } of held)
    slotsByWorkspace.set(webhook.workspaceId, (slotsByWorkspace.get(webhook.workspaceId) ?? 0) + 1);
  return leaseWebhooks(ctx, { free, held: slotsByWorkspace });
}

async function runLease(
  ctx: WebhookContext,
  { webhook, clients, goesOn }: { webhook: LeasedWebhook; clients: ClientPool; goesOn: () => boolean },
): Promise<void> {
  const result = await clients.use(webhook, (client) => deliverToWebhook(ctx, { webhook, client, goesOn }));
  const { id, lease, url } = webhook;
  const failingSince = await endWebhookLease(ctx.db, { id, lease, url, ...result });
  await disableIfUseless(ctx, webhook, result, failingSince);
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

/** Connections stay open for this long after a lease, so that frequent events need no new ones. */
export const KEEP_OPEN_MS = 30_000;

type ClientPool = ReturnType<typeof openClientPool>;

/**
 * @property users how many leases use the client. There are two if a lease was lost, and this worker got the next one
 *   before it noticed
 */
type PooledClient = { readonly client: WebhookClient; users: number; closing?: NodeJS.Timeout };

export function openClientPool(guard: SsrfGuard) {
  const clients = new Map<string, PooledClient>();

  function acquire(key: string, url: string): PooledClient {
    const pooled = clients.get(key) ?? {
      client: createWebhookClient(guard, url, { maxConnections: REQUESTS_AT_ONCE }),
      users: 0,
    };
    clearTimeout(pooled.closing);
    pooled.users += 1;
    clients.set(key, pooled);
    return pooled;
  }

  function release(key: string, pooled: PooledClient): void {
    pooled.users -= 1;
    if (pooled.users > 0) return;
    pooled.closing = setTimeout(() => {
      clients.delete(key);
      void pooled.client.close();
    }, KEEP_OPEN_MS).unref();
  }

  return {
    async use<Result>(
      { id, url }: Pick<LeasedWebhook, 'id' | 'url'>,
      work: (client: WebhookClient) => Promise<Result>,
    ): Promise<Result> {
      const key = `${id} ${url}`;
      const pooled = acquire(key, url);
      try {
        return await work(pooled.client);
      } finally {
        release(key, pooled);
      }
    },
    async close(): Promise<void> {
      for (const { client, closing } of clients.values()) {
        clearTimeout(closing);
        await client.close();
      }
      clients.clear();
    },
  };
}
