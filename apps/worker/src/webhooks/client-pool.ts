import type { LeasedWebhook } from '@posthorn/domain/webhooks';
import { openWebhookClient, type SsrfGuard, type WebhookClient } from '@posthorn/webhooks';
import { REQUESTS_AT_ONCE } from './deliver-to-webhook.js';

/** Connections stay open for this long after a lease, so that frequent events need no new ones. */
export const KEEP_OPEN_MS = 30_000;

/** The open clients of webhooks. */
export type ClientPool = {
  use<Result>(
    webhook: Pick<LeasedWebhook, 'id' | 'url'>,
    work: (client: WebhookClient) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
};

/**
 * @property users how many leases use the client. There are two if a lease was lost, and this worker got the next one
 *   before it noticed
 */
type PooledClient = { readonly client: WebhookClient; users: number; closing?: NodeJS.Timeout };

export function openClientPool(guard: SsrfGuard): ClientPool {
  const clients = new Map<string, PooledClient>();

  function acquire(key: string, url: string): PooledClient {
    const pooled = clients.get(key) ?? {
      client: openWebhookClient(guard, url, { maxConnections: REQUESTS_AT_ONCE }),
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
    async use({ id, url }, work) {
      const key = `${id} ${url}`;
      const pooled = acquire(key, url);
      try {
        return await work(pooled.client);
      } finally {
        release(key, pooled);
      }
    },
    async close() {
      for (const { client, closing } of clients.values()) {
        clearTimeout(closing);
        await client.close();
      }
      clients.clear();
    },
  };
}
