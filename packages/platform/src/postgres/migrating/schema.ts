import type { Knex } from 'knex';
import type { Migration } from './migration.js';

/** What a database has to have. */
export type Schema = {
  readonly migrations: readonly Migration[];
  /** Adapts what depends on the server, which is another one after a restore. Runs after the migrations. */
  align(trx: Knex.Transaction): Promise<void>;
  /** Whether `align` has nothing to do. */
  isAligned(db: Knex): Promise<boolean>;
};
