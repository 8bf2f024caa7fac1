import type { Knex } from 'knex';

/** Runs several queries that must agree with each other in one snapshot: that of the transaction, if `db` is one. */
export function inSnapshot<Result>(db: Knex, read: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return read(db as Knex.Transaction);
  return db.transaction(read, { isolationLevel: 'repeatable read', readOnly: true });
}
