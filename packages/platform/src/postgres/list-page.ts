/** Which page of a list to read. Entries after a cursor are older; entries before it are newer. */
export type Pagination = { readonly limit: number; readonly after: string | null; readonly before: string | null };

/** One page, newest first. `nextCursor` continues in the same direction and is null on the last page. */
export type ListPage<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string | null };

/** @param rows the page's rows, newest first */
export function toPage<Row extends { id: string }>(
  rows: readonly Row[],
  hasMore: boolean,
  pagination: Pagination,
): ListPage<Row> {
  return { rows, nextCursor: hasMore ? (edgeOf(rows, pagination)?.id ?? null) : null };
}

/** The row that the next page continues from. @param rows newest first */
export function edgeOf<Row>(rows: readonly Row[], { before }: Pagination): Row | undefined {
  return before === null ? rows.at(-1) : rows[0];
}
