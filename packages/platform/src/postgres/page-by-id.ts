import type { Knex } from 'knex';
import { type ListPage, type Pagination, toPage } from './list-page.js';

/**
 * Reads one page of a list that is ordered by id, newest first.
 * @param query selects all rows of the list
 * @param id the column that the cursor is compared with
 */
export async function pageById<Row, Item extends { id: string }>(
  query: Knex.QueryBuilder,
  { limit, after, before }: Pagination,
  toItem: (row: Row) => Item,
  id = 'id',
): Promise<ListPage<Item>> {
  query.orderBy(id, before === null ? 'desc' : 'asc').limit(limit + 1);
  if (after !== null) query.where(id, '<', after);
  if (before !== null) query.where(id, '>', before);
  const rows: Row[] = await query;
  const page = rows.slice(0, limit).map(toItem);
  return toPage(before === null ? page : page.toReversed(), rows.length > limit, { limit, after, before });
}
