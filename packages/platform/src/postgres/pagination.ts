import type { Knex } from 'knex';

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
  return { rows, nextCursor: hasMore ? (findEdge(rows, pagination)?.id ?? null) : null };
}

/** The row that the next page continues from. @param rows newest first */
export function findEdge<Row>(rows: readonly Row[], { before }: Pagination): Row | undefined {
  return before === null ? rows.at(-1) : rows[0];
}

/**
 * Reads one page of a list that is ordered by id, newest first.
 * @param query selects all rows of the list
 * @param id the column that the cursor is compared with
 */
export async function listPageById<Row, Item extends { id: string }>(
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

/**
 * The maximum size of a page, in bytes of text. A larger page would block the event loop for too long, because it is
 * parsed and encoded in one go.
 */
const MAX_PAGE_BYTES = 250_000;

type SizedPage = {
  /**
   * The maximum number of rows on the page. `candidates` contains one more row, which shows whether another page
   * follows.
   */
  readonly limit: number;
  /** The SQL expressions that the rows are ordered by. */
  readonly order: string;
  /** SQL for the size of a row in bytes. */
  readonly bytes: string;
};

/** Ends a page before it exceeds 250 kB, but always includes the first row. */
export async function readSizedPage<Row>(
  db: Knex,
  candidates: Knex.QueryBuilder,
  { limit, order, bytes }: SizedPage,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const sized = db.from(candidates.as('candidates')).select(
    '*',
    db.raw(
      `count(*) over () as found, row_number() over (order by ${order}) as position,
       sum(${bytes}) over (order by ${order}) as bytes`,
    ),
  );
  const sizedRows = await db
    .from(sized.as('sized'))
    .select('*')
    .where('position', '<=', limit)
    .where((fits) => fits.where('position', 1).orWhere('bytes', '<=', MAX_PAGE_BYTES))
    .orderBy('position');
  return {
    rows: sizedRows.map(({ found, position, bytes, ...row }) => row),
    hasMore: (sizedRows[0]?.found ?? 0) > sizedRows.length,
  };
}

type SizedList<Row, Item> = {
  /** SQL for the size of a row in bytes. */
  readonly bytes: string;
  readonly toItem: (row: Row) => Item;
  /** The column that the cursor is compared with. */
  readonly column?: string;
  /** The name of that column in the rows. */
  readonly cursor?: string;
};

/** Like `listPageById`, but ends the page before it exceeds 250 kB. */
export async function listSizedPage<Row, Item>(
  db: Knex,
  query: Knex.QueryBuilder,
  pagination: Pagination,
  { bytes, toItem, column = 'id', cursor = column }: SizedList<Row, Item>,
): Promise<ListPage<Item>> {
  const { limit, after, before } = pagination;
  const order = `${cursor} ${before === null ? 'desc' : 'asc'}`;
  query.orderByRaw(order).limit(limit + 1);
  if (after !== null) query.where(column, '<', after);
  if (before !== null) query.where(column, '>', before);
  const { rows: read, hasMore } = await readSizedPage<Record<string, unknown>>(db, query, { limit, order, bytes });
  const rows = before === null ? read : read.toReversed();
  const edge = hasMore ? findEdge(rows, pagination) : undefined;
  return { rows: rows.map((row) => toItem(row as Row)), nextCursor: edge ? String(edge[cursor]) : null };
}

/**
 * Runs the query for one page of a list so that Postgres reads the rows in the order of an index. Otherwise, statistics
 * can make Postgres expect that hardly any rows match, and it would then read and sort all of a workspace's emails.
 */
export function inIndexOrder<Result>(db: Knex, read: (trx: Knex.Transaction) => PromiseLike<Result>): Promise<Result> {
  return db.transaction(async (trx) => {
    await trx.raw('set local enable_sort = off');
    return read(trx);
  });
}
