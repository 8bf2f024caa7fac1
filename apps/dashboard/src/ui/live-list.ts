import type { List } from '@posthorn/contract';

type Row = { readonly id: string };

/** A page of a list, newest first, whose rows stay in place while it refreshes. */
export type LiveList<Item extends Row> = {
  readonly rows: readonly Item[];
  /** Newer rows, hidden until the user asks to see them. */
  readonly newRows: readonly Item[];
  readonly hasMore: boolean;
  /** Where a search continues; null at its end. */
  readonly nextCursor: string | null;
};

export function toLiveList<Item extends Row>({ data, has_more, next_cursor }: List<Item>): LiveList<Item> {
  return { rows: data, newRows: [], hasMore: has_more, nextCursor: next_cursor };
}

/**
 * Updates the rows in place and collects newer ones. Rows that no longer match the filters disappear. Ids sort by time,
 * so comparing them tells which row is newer.
 */
export function updateInPlace<Item extends Row>(
  { rows, newRows, hasMore }: LiveList<Item>,
  list: List<Item>,
): LiveList<Item> {
  const newest = rows[0]?.id;
  const oldestLoaded = list.data.at(-1)?.id;
  if (newest === undefined || oldestLoaded === undefined) return toLiveList(list);
  const known = new Map(list.data.map((row) => [row.id, row]));
  const stillMatches = ({ id }: Item) => known.has(id) || id < oldestLoaded;
  return {
    rows: rows.filter(stillMatches).map((row) => known.get(row.id) ?? row),
    newRows: merge(
      list.data.filter(({ id }) => id > newest),
      newRows.filter(stillMatches),
    ),
    hasMore: hasMore || list.has_more,
    nextCursor: list.next_cursor,
  };
}

function merge<Item extends Row>(newer: readonly Item[], older: readonly Item[]): Item[] {
  const ids = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !ids.has(id))];
}
