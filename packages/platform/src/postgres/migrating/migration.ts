import type { Knex } from 'knex';
import type { Db } from '../connect.js';
import type { OnLockWait } from './migration-transaction.js';

/**
 * One change of the database, which is applied once. Docs: CONTRIBUTING.md, "A migration".
 *
 * It has one of three forms. `sql` runs in one transaction. `indexes` are built while the tables are in use. A
 * `backfill` changes stored rows in batches.
 */
export type Migration = MigrationHead & (SqlChange | IndexChange | BackfillChange);

type MigrationHead = {
  readonly name: string;
  /**
   * `expand`: processes of the previous version can keep working. `contract`: something is removed or forbidden that
   * an older version uses.
   */
  readonly kind: 'expand' | 'contract';
  /**
   * Only for `contract`: the migration since which no version uses what this one removes. Versions that know it can
   * start after the removal. Without it, only versions that know this migration can.
   */
  readonly unusedSince?: string;
};

type SqlChange = { readonly sql: string; readonly indexes?: never; readonly backfill?: never };

type IndexChange = { readonly indexes: readonly NewIndex[]; readonly sql?: never; readonly backfill?: never };

type BackfillChange = { readonly backfill: Backfill; readonly sql?: never; readonly indexes?: never };

export type NewIndex = {
  /** At most 50 characters, because the indexes of partitions have longer names. */
  readonly name: string;
  /** May be partitioned. */
  readonly table: string;
  /** What follows the table's name in CREATE INDEX, such as `(workspace_id, id) where mode = 'test'`. */
  readonly definition: string;
  readonly unique?: boolean;
};

export type Backfill = {
  /**
   * Changes the next `:limit` rows after `:after`, and selects `last`, the text that is `:after` for the next batch. The
   * backfill is finished when `last` is null or there is no row. `:after` is null for the first batch. Write casts as
   * `cast(:after as uuid)`.
   */
  readonly sql: string;
  /** Rows in the first batch; 1,000 if omitted. Later batches are smaller or larger, depending on how long one takes. */
  readonly batchSize?: number;
};

/** What a database has to have. */
export type Schema = {
  readonly migrations: readonly Migration[];
  /** Adapts what depends on the server, which is another one after a restore. Runs after the migrations. */
  align(trx: Knex.Transaction): Promise<void>;
  /** Whether `align` has nothing to do. */
  isAligned(db: Knex): Promise<boolean>;
};

/** The schema of the database does not fit this version of Posthorn, and neither waiting nor trying again helps. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** A migration cannot run through the connection pooler. A process waits until the operator has migrated the database. */
export class DirectConnectionError extends SchemaError {
  constructor(migration: string) {
    super(
      `Migration ${migration} builds an index, which cannot be done through a connection pooler in transaction mode. Run \`posthorn db migrate\` with a DATABASE_URL that leads to Postgres itself.`,
    );
  }
}

/** What a part of a migration needs that is too long for one transaction. */
export type Step = {
  readonly db: Db;
  /** The name of the migration. */
  readonly migration: string;
  readonly onWait: OnLockWait;
  /** @throws Error if this process may not migrate any more */
  assertHeld(): void;
};
