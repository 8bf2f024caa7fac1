import type { Knex } from 'knex';

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

/** What `sizedPage` adds to each row. */
export type SizedRow = {
  /** How many candidates there were. If there are more candidates than rows, another page follows. */
  readonly found: number;
};

/** Ends a page before it exceeds 250 kB, but always includes the first row. */
export function sizedPage(db: Knex, candidates: Knex.QueryBuilder, { limit, order, bytes }: SizedPage) {
  const sized = db.from(candidates.as('candidates')).select(
    '*',
    db.raw(
      `count(*) over () as found, row_number() over (order by ${order}) as position,
       sum(${bytes}) over (order by ${order}) as bytes`,
    ),
  );
  return db
    .from(sized.as('sized'))
    .select('*')
    .where('position', '<=', limit)
    .where((fits) => fits.where('position', 1).orWhere('bytes', '<=', MAX_PAGE_BYTES))
    .orderBy('position');
}
