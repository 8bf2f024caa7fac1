import type { EmailSummary, List } from '@posthorn/contract';

/** A page of the list that does not move under its reader. */
export type LivePage = {
  readonly rows: readonly EmailSummary[];
  /** What has come since: shown when the reader asks for it. */
  readonly arrived: readonly EmailSummary[];
  readonly hasMore: boolean;
};

export function toLivePage({ data, has_more }: List<EmailSummary>): LivePage {
  return { rows: data, arrived: [], hasMore: has_more };
}

/**
 * The rows stay where they are and get their new states; what is newer waits. A row that no longer
 * matches the filters goes. Ids are in the order of time.
 */
export function keepPlace({ rows, arrived, hasMore }: LivePage, list: List<EmailSummary>): LivePage {
  const newest = rows[0]?.id;
  const oldestAsked = list.data.at(-1)?.id;
  if (newest === undefined || oldestAsked === undefined) return toLivePage(list);
  const known = new Map(list.data.map((row) => [row.id, row]));
  const stays = ({ id }: EmailSummary) => known.has(id) || id < oldestAsked;
  return {
    rows: rows.filter(stays).map((row) => known.get(row.id) ?? row),
    arrived: merge(
      list.data.filter(({ id }) => id > newest),
      arrived.filter(stays),
    ),
    hasMore: hasMore || list.has_more,
  };
}

function merge(newer: readonly EmailSummary[], older: readonly EmailSummary[]): EmailSummary[] {
  const ids = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !ids.has(id))];
}
