import type { LeasedWebhook } from '@posthorn/domain';
import { openReceiver, type Receiver, type ReceiverGuard } from '@posthorn/webhooks';
import { REQUESTS_AT_ONCE } from './deliver-to-webhook.js';

/** Connections stay open for this long after a lease, so that frequent events need no new ones. */
export const KEEP_OPEN_MS = 30_000;

/** The open connections to receivers. */
export type Receivers = {
  use<Result>(
    webhook: Pick<LeasedWebhook, 'id' | 'url'>,
    work: (receiver: Receiver) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
};

/**
 * @property users how many leases use the receiver. There are two if a lease was lost, and this worker got the next one
 *   before it noticed
 */
type Entry = { readonly receiver: Receiver; users: number; closing?: NodeJS.Timeout };

export function openReceivers(guard: ReceiverGuard): Receivers {
  const entries = new Map<string, Entry>();

  function take(key: string, url: string): Entry {
    const entry = entries.get(key) ?? {
      receiver: openReceiver(guard, url, { maxConnections: REQUESTS_AT_ONCE }),
      users: 0,
    };
    clearTimeout(entry.closing);
    entry.users += 1;
    entries.set(key, entry);
    return entry;
  }

  function giveBack(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.closing = setTimeout(() => {
      entries.delete(key);
      void entry.receiver.close();
    }, KEEP_OPEN_MS).unref();
  }

  return {
    async use({ id, url }, work) {
      const key = `${id} ${url}`;
      const entry = take(key, url);
      try {
        return await work(entry.receiver);
      } finally {
        giveBack(key, entry);
      }
    },
    async close() {
      for (const { receiver, closing } of entries.values()) {
        clearTimeout(closing);
        await receiver.close();
      }
      entries.clear();
    },
  };
}
