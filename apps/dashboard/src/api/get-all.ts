import type { List } from '@posthorn/contract';
import { queryString } from './query-string';
import { get } from './request';

/**
 * Loads all entries of a list, page by page. Use this only for lists of bounded length.
 * @param path without a query string
 */
export async function getAll<Item>(path: string): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | null = null;
  do {
    const page: List<Item> = await get(`${path}${queryString({ limit: 100, after })}`);
    items.push(...page.data);
    after = page.next_cursor;
  } while (after !== null);
  return items;
}
