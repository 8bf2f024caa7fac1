import { limits } from '@posthorn/domain/limits';
import type { LeasedWebhook } from '@posthorn/domain/webhooks';
import { type CheckedHost, createWebhookClient, type SsrfGuard, type WebhookClient } from '@posthorn/webhooks';

/** Connections stay open for this long after a lease, so that frequent events need no new ones. */
export const KEEP_OPEN_MS = 30_000;
/** After this time, or after a failure, the host is looked up again. */
const KNOWN_MS = 30_000;
/** Each is limited on its own, so a host must not have any number of them. */
const MAX_ADDRESSES = 4;

/**
 * A client that connects only to the addresses that were checked for it.
 * @property users how many leases use the client
 */
type PooledClient = {
  readonly client: WebhookClient;
  readonly checked: CheckedHost;
  checkedAt: number;
  users: number;
  closing?: NodeJS.Timeout;
};

/** @property forget lets the next lease look up the host again */
export type UsedClient = {
  readonly client: WebhookClient;
  /** Where it connects to; empty if the host may not be reached. */
  readonly addresses: readonly string[];
  forget(): void;
};

export type ClientPool = ReturnType<typeof openClientPool>;

/**
 * The clients for the hosts of the webhooks that were leased a short time ago. All webhooks of a host share its
 * connections. Otherwise, each of 50 webhooks would keep some open.
 */
export function openClientPool(guard: SsrfGuard) {
  const clients = new Map<string, PooledClient>();
  const open = new Set<PooledClient>();

  function release(origin: string, pooled: PooledClient): void {
    pooled.users -= 1;
    if (pooled.users > 0) return;
    pooled.closing = setTimeout(() => {
      if (clients.get(origin) === pooled) clients.delete(origin);
      open.delete(pooled);
      void pooled.client.close();
    }, KEEP_OPEN_MS).unref();
  }

  function hold(pooled: PooledClient): PooledClient {
    clearTimeout(pooled.closing);
    pooled.users += 1;
    open.add(pooled);
    return pooled;
  }

  async function acquire(origin: string): Promise<PooledClient> {
    const known = clients.get(origin);
    if (known) hold(known);
    if (known && 'addresses' in known.checked && performance.now() < known.checkedAt + KNOWN_MS) return known;
    const found = await guard.check(new URL(origin)).finally(() => known && release(origin, known));
    const pooled = hold(known && leadsToSame(known.checked, found) ? known : openClient(origin, found));
    pooled.checkedAt = performance.now();
    clients.set(origin, pooled);
    return pooled;
  }

  return {
    async use<Result>(
      { url }: Pick<LeasedWebhook, 'url'>,
      work: (used: UsedClient) => Promise<Result>,
    ): Promise<Result> {
      const { origin } = new URL(url);
      const pooled = await acquire(origin);
      try {
        return await work(toUsedClient(pooled));
      } finally {
        release(origin, pooled);
      }
    },
    async close(): Promise<void> {
      for (const { closing } of open) clearTimeout(closing);
      await Promise.all([...open].map(({ client }) => client.close()));
    },
  };
}

function toUsedClient(pooled: PooledClient): UsedClient {
  const { client, checked } = pooled;
  return {
    client,
    addresses: 'addresses' in checked ? checked.addresses.map(({ address }) => address) : [],
    forget() {
      pooled.checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The order of addresses, and which of many are named, can differ from one answer to the next. */
function leadsToSame(known: CheckedHost, found: CheckedHost): boolean {
  if (!('addresses' in known && 'addresses' in found)) return false;
  const addresses = new Set(found.addresses.map(({ address }) => address));
  return known.addresses.every(({ address }) => addresses.has(address));
}

/** The client connects to what was checked here, and not to what DNS says by then. */
function openClient(origin: string, found: CheckedHost): PooledClient {
  const checked = 'addresses' in found ? { addresses: found.addresses.slice(0, MAX_ADDRESSES) } : found;
  const client = createWebhookClient({ check: async () => checked }, origin, {
    maxConnections: limits.webhookRequestsToHost.max,
  });
  return { client, checked, checkedAt: performance.now(), users: 0 };
}
