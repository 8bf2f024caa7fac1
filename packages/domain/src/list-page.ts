/** Which page of a list is wanted: `after` goes to older entries, `before` to newer ones. */
export type Paging = { readonly limit: number; readonly after: string | null; readonly before: string | null };

/** One page, newest first. `nextCursor` leads on in the direction that was asked for; null: it was the last. */
export type Page<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string | null };

/** @param rows of the page, newest first */
export function toPage<Row extends { id: string }>(rows: readonly Row[], hasMore: boolean, paging: Paging): Page<Row> {
  return { rows, nextCursor: hasMore ? (edgeOf(rows, paging)?.id ?? null) : null };
}

/** The row of a page that the next page goes on from. @param rows newest first */
export function edgeOf<Row>(rows: readonly Row[], { before }: Paging): Row | undefined {
  return before === null ? rows.at(-1) : rows[0];
}
