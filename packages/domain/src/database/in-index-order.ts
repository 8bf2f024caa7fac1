import type { Knex } from 'knex';

/**
 * Runs a query for one page that must read its rows in the order of an index. Because of its statistics, Postgres may
 * expect that hardly any rows match. It would then read all emails of a workspace and sort them.
 */
export function inIndexOrder<Result>(db: Knex, read: (trx: Knex.Transaction) => PromiseLike<Result>): Promise<Result> {
  return db.transaction(async (trx) => {
    await trx.raw('set local enable_sort = off');
    return read(trx);
  });
}
