import type { Client } from '../client.js';
import type { Db } from '../connect.js';
import { DirectConnectionError, type NewIndex, type Step } from './migration.js';
import { inMigrationTransaction, retryOnLocks } from './migration-transaction.js';

/** The statement that builds an index while nothing else uses the database. */
export function createIndexSql(index: NewIndex): string {
  return createSql(index, '');
}

function createSql({ name, table, definition, unique }: NewIndex, how: 'concurrently' | 'only' | ''): string {
  const create = `create ${unique ? 'unique ' : ''}index`;
  return `${create} ${how === 'concurrently' ? how : ''} ${name} on ${how === 'only' ? how : ''} ${table} ${definition}`;
}

/**
 * Builds an index while the table is in use. It may have been built in part or in full by an earlier run. The indexes of
 * a partitioned table are built one partition at a time, because Postgres cannot build them all concurrently.
 * @throws DirectConnectionError if a connection pooler in transaction mode is in between
 */
export async function buildIndex(step: Step, index: NewIndex): Promise<void> {
  await assertOwnBackend(step);
  // Waiting here stops no reads and no writes, so there is no time limit.
  await step.db.raw('set statement_timeout = 0; set lock_timeout = 0');
  const { rows } = await step.db.raw('select relkind from pg_class where oid = ?::regclass', [index.table]);
  if (rows[0].relkind === 'p') await buildInPartitions(step, index);
  else await buildConcurrently(step, index);
}

/**
 * Settings of a session reach other clients through a pooler in transaction mode, and a build cannot be in a transaction.
 */
async function assertOwnBackend({ db, migration }: Step): Promise<void> {
  const client: Client = await db.client.acquireConnection();
  await db.client.releaseConnection(client);
  if (client.sharesBackends) throw new DirectConnectionError(migration);
}

/** An index that a failed build has left behind is not used by queries, but costs writes. It is dropped. */
async function buildConcurrently({ db, migration, onWait, assertHeld }: Step, index: NewIndex): Promise<void> {
  await retryOnLocks(migration, onWait, async () => {
    assertHeld();
    const state = await readState(db, index.name);
    if (state === 'valid') return;
    if (state === 'invalid') await dropLeftover(db, index.name);
    await db.raw(createSql(index, 'concurrently'));
  });
}

/** The build may still be running on the server, although its process has ended. Then the next try finds it valid. */
async function dropLeftover(db: Db, name: string): Promise<void> {
  await db.raw('set lock_timeout = 1000');
  await db.raw('drop index concurrently ??', [name]);
  await db.raw('set lock_timeout = 0');
}

async function buildInPartitions(step: Step, index: NewIndex): Promise<void> {
  const { db, migration, onWait } = step;
  // From here on, new partitions get the index when they are created.
  await retryOnLocks(migration, onWait, () =>
    inMigrationTransaction(db, async (trx) => {
      if ((await readState(trx, index.name)) === 'missing') await trx.raw(createSql(index, 'only'));
    }),
  );
  for (const partition of await partitionsWithout(db, index)) {
    const name = `${index.name}_${partition.slice(index.table.length + 1)}`;
    await buildConcurrently(step, { ...index, name, table: partition });
    await retryOnLocks(migration, onWait, () =>
      inMigrationTransaction(db, (trx) => trx.raw('alter index ?? attach partition ??', [index.name, name])),
    );
  }
}

type State = 'missing' | 'invalid' | 'valid';

async function readState(db: Db, name: string): Promise<State> {
  const { rows } = await db.raw('select indisvalid as is_valid from pg_index where indexrelid = to_regclass(?)', [
    name,
  ]);
  if (rows.length === 0) return 'missing';
  return rows[0].is_valid ? 'valid' : 'invalid';
}

async function partitionsWithout(db: Db, { name, table }: NewIndex): Promise<string[]> {
  const { rows } = await db.raw(
    `select inhrelid::regclass::text as partition from pg_inherits
     where inhparent = ?::regclass and not exists (
       select from pg_inherits as parts join pg_index on indexrelid = parts.inhrelid
       where parts.inhparent = ?::regclass and indrelid = pg_inherits.inhrelid
     )
     order by 1`,
    [table, name],
  );
  return rows.map(({ partition }: { partition: string }) => partition);
}
