import type { EmailSummary, List } from '@posthorn/contract';

/** A page of the list whose rows stay in place while it refreshes. */
export type LiveList = {
  readonly rows: readonly EmailSummary[];
  /** Newer emails, hidden until the user asks to see them. */
  readonly newEmails: readonly EmailSummary[];
  readonly hasMore: boolean;
  /** Where a search continues; null at its end. */
  readonly nextCursor: string | null;
};

export function toLiveList({ data, has_more, next_cursor }: List<EmailSummary>): LiveList {
  return { rows: data, newEmails: [], hasMore: has_more, nextCursor: next_cursor };
}

/**
 * Updates the rows in place and collects newer emails. Rows that no longer match the filters disappear. Ids
 * sort by time, so comparing them tells which email is newer.
 */
export function updateInPlace({ rows, newEmails, hasMore }: LiveList, list: List<EmailSummary>): LiveList {
  const newest = rows[0]?.id;
  const oldestLoaded = list.data.at(-1)?.id;
  if (newest === undefined || oldestLoaded === undefined) return toLiveList(list);
  const known = new Map(list.data.map((row) => [row.id, row]));
  const stillMatches = ({ id }: EmailSummary) => known.has(id) || id < oldestLoaded;
  return {
    rows: rows.filter(stillMatches).map((row) => known.get(row.id) ?? row),
    newEmails: merge(
      list.data.filter(({ id }) => id > newest),
      newEmails.filter(stillMatches),
    ),
    hasMore: hasMore || list.has_more,
    nextCursor: list.next_cursor,
  };
}

function merge(newer: readonly EmailSummary[], older: readonly EmailSummary[]): EmailSummary[] {
  const ids = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !ids.has(id))];
}
