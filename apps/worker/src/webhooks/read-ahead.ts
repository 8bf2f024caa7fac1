/** @property next where the next page begins; null if this is the last one */
export type Page<Item, Place> = { readonly items: readonly Item[]; readonly next: Place | null };

/**
 * Reads items page by page. The next page is read while the items of the current one are being used.
 * @returns a function that returns the next item, or null after the last one. It may be called many times at once. It
 *   returns a promise only if a page is still being read, because a promise costs as much as using the item
 */
export function readAhead<Item, Place>(
  start: Place,
  read: (after: Place) => Promise<Page<Item, Place>>,
): () => Item | null | Promise<Item | null> {
  let items: Item[] = [];
  let next: Promise<Page<Item, Place>> | null = begin(start);
  let turning: Promise<void> | null = null;

  function begin(after: Place): Promise<Page<Item, Place>> {
    const page = read(after);
    // The caller may have stopped before it needs this page.
    page.catch(() => {});
    return page;
  }

  async function turnPage(page: Promise<Page<Item, Place>>): Promise<void> {
    const { items: found, next: after } = await page;
    items = found.toReversed();
    next = after === null ? null : begin(after);
    turning = null;
  }

  async function readNext(): Promise<Item | null> {
    while (items.length === 0 && next !== null) {
      turning ??= turnPage(next);
      await turning;
    }
    return items.pop() ?? null;
  }

  return () => items.pop() ?? (next === null ? null : readNext());
}
