/** Which page of a list is wanted: `after` goes to older entries, `before` to newer ones. */
export type Pagination = { readonly limit: number; readonly after: string | null; readonly before: string | null };

/** One page, newest first. `nextCursor` leads on in the direction that was asked for; null: it was the last. */
export type ListPage<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string | null };

/** @param rows of the page, newest first */
export function toPage<Row extends { id: string }>(
  rows: readonly Row[],
  hasMore: boolean,
  pagination: Pagination,
): ListPage<Row> {
  return { rows, nextCursor: hasMore ? (edgeOf(rows, pagination)?.id ?? null) : null };
}

/** The row of a page that the next page goes on from. @param rows newest first */
export function edgeOf<Row>(rows: readonly Row[], { before }: Pagination): Row | undefined {
  return before === null ? rows.at(-1) : rows[0];
}
