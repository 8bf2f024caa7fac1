import { type Context, type DueDelivery, type DuePlace, type LeasedWebhook, readDueDeliveries } from '@posthorn/domain';

const PAGE = 200;

/**
 * The due deliveries of a webhook in their order, until none is left. The next page is read while the current one is
 * being sent.
 * @returns a function that returns the next delivery, or null at the end. It may be called many times at once.
 */
export function openDueDeliveries(
  { db }: Pick<Context, 'db'>,
  { id: webhookId, mode }: LeasedWebhook,
): () => Promise<DueDelivery | null> {
  let waiting: DueDelivery[] = [];
  let next = readPage(null);

  function readPage(after: DuePlace | null): Promise<DueDelivery[]> {
    const page = readDueDeliveries(db, { webhookId, mode, after, limit: PAGE });
    // The caller may have stopped before it needs this page.
    page.catch(() => {});
    return page;
  }

  async function turnPage(): Promise<void> {
    const page = await next;
    if (waiting.length > 0) return;
    waiting = page.toReversed();
    const last = page.at(-1);
    next = last && page.length === PAGE ? readPage(last) : Promise.resolve([]);
  }

  return async () => {
    if (waiting.length === 0) await turnPage();
    return waiting.pop() ?? null;
  };
}
