import type { LeasedWebhook } from '@posthorn/domain';
import { openReceiver, type Receiver, type ReceiverGuard } from '@posthorn/webhooks';
import { REQUESTS_AT_ONCE } from './deliver-to-webhook.js';

/** Connections stay open for this long after a lease, so that frequent events need no new ones. */
const KEEP_OPEN_MS = 30_000;

/** The open connections to receivers. */
export type Receivers = {
  use<Result>(webhook: LeasedWebhook, work: (receiver: Receiver) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

type Entry = { readonly receiver: Receiver; closing: NodeJS.Timeout | null };

export function openReceivers(guard: ReceiverGuard): Receivers {
  const entries = new Map<string, Entry>();

  function open(key: string, url: string): Entry {
    const entry = { receiver: openReceiver(guard, url, { maxConnections: REQUESTS_AT_ONCE }), closing: null };
    entries.set(key, entry);
    return entry;
  }

  async function close(key: string, { receiver }: Entry): Promise<void> {
    entries.delete(key);
    await receiver.close();
  }

  return {
    async use({ id, url }, work) {
      const key = `${id} ${url}`;
      const entry = entries.get(key) ?? open(key, url);
      clearTimeout(entry.closing ?? undefined);
      try {
        return await work(entry.receiver);
      } finally {
        entry.closing = setTimeout(() => void close(key, entry), KEEP_OPEN_MS).unref();
      }
    },
    async close() {
      for (const [key, entry] of entries) {
        clearTimeout(entry.closing ?? undefined);
        await close(key, entry);
      }
    },
  };
}
