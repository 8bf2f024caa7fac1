import type { Knex } from 'knex';

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
