import { migrations, schema } from '@posthorn/domain/schema';
import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db, SchemaError } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import type { Client } from '../../src/postgres/client.js';
import { buildIndex } from '../../src/postgres/migrating/build-indexes.js';
import type { Migration, NewIndex } from '../../src/postgres/migrating/migration.js';
import { type MigrateOptions, runMigrations } from '../../src/postgres/migrating/run-migrations.js';
import { openPooler, type Pooler } from './open-pooler.js';

let ctx: Context;
/** Connections of other processes. */
const others: Db[] = [];

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'its migrations change the schema' });
  await ctx.db.raw('create table notes (id integer primary key, text text); insert into notes values (1), (2), (3)');
});

afterEach(async () => {
  await Promise.all(others.splice(0).map((db) => db.destroy()));
  await closeTestContext(ctx);
});

const EXPAND = { kind: 'expand' } as const;
const addColumn: Migration = { ...EXPAND, name: '9001-add-column', sql: 'alter table notes add column size integer' };
const addIndex: Migration = {
  ...EXPAND,
  name: '9002-add-index',
  indexes: [{ name: 'notes_by_text', table: 'notes', definition: '(text) where text is not null' }],
};
const fillSize: Migration = {
  ...EXPAND,
  name: '9003-fill-size',
  backfill: {
    batchSize: 2,
    sql: `with batch as (
        select id from notes where id > coalesce(cast(:after as integer), 0) order by id limit :limit
      ),
      changed as (update notes set size = notes.id * 10 from batch where notes.id = batch.id)
      select max(id)::text as last from batch`,
  },
};

const withMore = (more: readonly Migration[]) => ({ ...schema, migrations: [...migrations, ...more] });

const migrate = (more: readonly Migration[], options: MigrateOptions = {}) =>
  runMigrations(ctx.config.databaseUrl, withMore(more), options);

/** Runs statements in a transaction that stays open. @returns a function that ends it */
async function holdOpen(sql: string): Promise<() => Promise<unknown>> {
  const db = connectDatabase(ctx.config.databaseUrl, { poolSize: 1 });
  others.push(db);
  const trx = await db.transaction();
  await trx.raw(`set local idle_in_transaction_session_timeout = 0; ${sql}`);
  return () => trx.rollback();
}

const isValid = async (index: string) =>
  (await ctx.db.raw('select indisvalid from pg_index where indexrelid = ?::regclass', [index])).rows[0].indisvalid;

const appliedNames = () => ctx.db('migrations').where('name', '>', '9').orderBy('name').pluck('name');

test('an empty database gets the whole schema, and says which version each migration requires', async () => {
  await ctx.db.raw('drop schema public cascade; create schema public');
  await ctx.db.raw('create table notes (id integer, text text)');
  const dropSize: Migration = { name: '9004-drop-size', kind: 'contract', sql: 'alter table notes drop column size' };
  const all = [addColumn, addIndex, fillSize, dropSize];
  expect(await migrate(all)).toHaveLength(migrations.length + all.length);
  expect(await isValid('notes_by_text')).toBe(true);
  const required = await ctx.db('migrations').where('name', '>', '9').orderBy('name').pluck('requires');
  expect(required).toEqual([null, null, null, dropSize.name]);
  expect(await migrate(all)).toEqual([]);
});

test('each migration has its own transaction, so one that fails does not undo those before it', async () => {
  const fails: Migration = { ...EXPAND, name: '9009-fails', sql: 'create table half_done (); select 1 / 0' };
  await expect(migrate([addColumn, fails])).rejects.toThrow('division by zero');
  expect(await appliedNames()).toEqual(['9001-add-column']);
  expect((await ctx.db.raw("select to_regclass('half_done') as found")).rows[0].found).toBeNull();
});

test('a migration that waits for a lock gives up soon, so that others can go on, and tries again', async () => {
  const release = await holdOpen('select * from notes');
  const waits: unknown[] = [];
  const migrated = migrate([addColumn], { onWait: (wait) => waits.push(wait) });
  await until(async () => waits.length > 0);
  // With an unlimited wait, this would queue behind the migration until the reader ends.
  await ctx.db('notes').insert({ id: 4 });
  expect(waits[0]).toEqual({ migration: '9001-add-column', tries: 1, pauseMs: expect.any(Number) });
  await release();
  expect(await migrated).toEqual(['9001-add-column']);
});

test('processes that start together apply each migration once', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate([addColumn, addIndex, fillSize])));
  expect(results.flat().sort()).toEqual(['9001-add-column', '9002-add-index', '9003-fill-size']);
});

test('only one process at a time changes the schema, even if several believe that they hold the guard', async () => {
  const release = await holdOpen('select pg_advisory_xact_lock(7673784)');
  const waits: unknown[] = [];
  const migrated = migrate([addColumn], { onWait: (wait) => waits.push(wait) });
  await until(async () => waits.length > 0);
  expect(await appliedNames()).toEqual([]);
  await release();
  expect(await migrated).toEqual(['9001-add-column']);
});

test('a process that waits for another one to migrate says so once', async () => {
  const release = await holdOpen('select pg_advisory_xact_lock(7673785)');
  const waits: unknown[] = [];
  const migrated = migrate([addColumn], { onWait: (wait) => waits.push(wait) });
  await until(async () => waits.length > 0);
  await release();
  expect(await migrated).toEqual(['9001-add-column']);
  expect(waits).toEqual([{ migration: null, tries: 1, pauseMs: expect.any(Number) }]);
});

test('a process that loses its guard starts nothing more', async () => {
  const release = await holdOpen('lock table notes');
  const migrated = migrate([addColumn, addIndex]).then(
    () => null,
    (error: Error) => error,
  );
  const guards = "select pid from pg_locks where locktype = 'advisory' and objid = 7673785 and granted";
  await until(async () => (await ctx.db.raw(guards)).rows.length > 0);
  await ctx.db.raw(`select pg_terminate_backend(pid) from (${guards}) as guard`);
  expect(await migrated).toBeInstanceOf(Error);
  await release();
  // The next run is not held up by the first one.
  expect(await migrate([addColumn, addIndex])).toEqual(['9001-add-column', '9002-add-index']);
});

describe('an index', () => {
  test('is built while others write, and while other processes wait to migrate', async () => {
    const release = await holdOpen('update notes set text = text where id = 1');
    const runs = Promise.all([migrate([addIndex]), migrate([addIndex])]);
    const isBuilding = async () =>
      (await ctx.db.raw("select from pg_stat_activity where query like 'create index%concurrently%notes_by_text%'"))
        .rows.length > 0;
    await until(isBuilding);
    await ctx.db('notes').insert({ id: 5, text: 'written during the build' });
    await release();
    expect((await runs).flat()).toEqual(['9002-add-index']);
    expect(await isValid('notes_by_text')).toBe(true);
  });

  test('that an earlier run left invalid is built again', async () => {
    await ctx.db.raw("update notes set text = 'same'");
    const unique = {
      ...addIndex,
      indexes: [{ name: 'notes_by_text', table: 'notes', definition: '(text)', unique: true }],
    };
    await expect(migrate([unique])).rejects.toThrow('could not create unique index');
    expect(await isValid('notes_by_text')).toBe(false);
    await ctx.db.raw('update notes set text = id');
    expect(await migrate([unique])).toEqual(['9002-add-index']);
    expect(await isValid('notes_by_text')).toBe(true);
  });

  test('of a partitioned table is built in each partition, and continued after a failure', async () => {
    await ctx.db.raw(`
      create table logs (id integer, text text) partition by range (id);
      create table logs_a partition of logs for values from (0) to (10);
      create table logs_b partition of logs for values from (10) to (20);
      insert into logs values (1, 'a'), (11, 'b'), (12, 'b')`);
    const indexes = [{ name: 'logs_by_text', table: 'logs', definition: '(id, (1 / nullif(length(text), 1)))' }];
    const byText: Migration = { ...EXPAND, name: '9004-logs-by-text', indexes };
    await ctx.db.raw("insert into logs values (13, '')");
    await expect(migrate([byText])).rejects.toThrow('division by zero');
    await ctx.db.raw(
      "delete from logs where text = ''; create table logs_c partition of logs for values from (20) to (30)",
    );
    expect(await migrate([byText])).toEqual(['9004-logs-by-text']);
    for (const index of ['logs_by_text', 'logs_by_text_a', 'logs_by_text_b']) expect(await isValid(index)).toBe(true);
    expect((await ctx.db.raw("select from pg_indexes where tablename = 'logs_c'")).rows).toHaveLength(1);
  });
});

describe('through a connection pooler', () => {
  let pooler: Pooler;

  beforeEach(async () => {
    pooler = await openPooler(ctx.config.databaseUrl, 'session');
  });

  afterEach(() => pooler.close());

  test('in session mode, every migration is applied', async () => {
    const run = runMigrations(pooler.url, withMore([addColumn, fillSize, addIndex]));
    expect(await run).toEqual(['9001-add-column', '9003-fill-size', '9002-add-index']);
    expect(await isValid('notes_by_text')).toBe(true);
  });

  test('in transaction mode, no index is built', async () => {
    const db = connectDatabase(ctx.config.databaseUrl, { poolSize: 1 });
    const client: Client = await db.client.acquireConnection();
    client.sharesBackends = true;
    await db.client.releaseConnection(client);
    const step = { db, migration: addIndex.name, onWait: () => {}, assertHeld: () => {} };
    await expect(buildIndex(step, addIndex.indexes?.[0] as NewIndex)).rejects.toThrow(
      'Migration 9002-add-index builds an index, which cannot be done through a connection pooler in transaction mode. Run `posthorn db migrate` with a DATABASE_URL that leads to Postgres itself.',
    );
    await db.destroy();
  });
});

describe('a backfill', () => {
  const sizes = () => ctx.db('notes').orderBy('id').pluck('size');

  test('changes every row, in batches that commit on their own', async () => {
    await ctx.db.raw('create table seen (transaction text, id integer)');
    await ctx.db.raw('alter table notes add column size integer');
    await ctx.db.raw(`
      create function note_batch() returns trigger language plpgsql as $$
      begin insert into seen values (pg_current_xact_id()::text, new.id); return new; end $$;
      create trigger note_batch before update on notes for each row execute function note_batch()`);
    expect(await migrate([fillSize])).toEqual(['9003-fill-size']);
    expect(await sizes()).toEqual([10, 20, 30]);
    expect((await ctx.db.raw('select count(distinct transaction) from seen')).rows[0].count).toBe(2);
    expect(await ctx.db('migration_progress')).toEqual([]);
  });

  test('continues where an earlier run was stopped', async () => {
    await ctx.db.raw('alter table notes add column size integer check (size < 30)');
    await expect(migrate([fillSize])).rejects.toThrow('violates check constraint');
    expect(await sizes()).toEqual([10, 20, null]);
    expect(await ctx.db('migration_progress')).toEqual([{ name: '9003-fill-size', position: '2' }]);
    await ctx.db.raw('alter table notes drop constraint notes_size_check; update notes set size = 0');
    expect(await migrate([fillSize])).toEqual(['9003-fill-size']);
    expect(await sizes()).toEqual([0, 0, 30]);
  });

  test('waits for a row that is locked', async () => {
    await ctx.db.raw('alter table notes add column size integer');
    const release = await holdOpen('select * from notes where id = 3 for update');
    const waits: unknown[] = [];
    const migrated = migrate([fillSize], { onWait: (wait) => waits.push(wait) });
    await until(async () => waits.length > 0);
    expect(await sizes()).toEqual([10, 20, null]);
    await release();
    await migrated;
    expect(await sizes()).toEqual([10, 20, 30]);
  });
});

describe('an older version', () => {
  test('starts with a database to which a newer one has only added', async () => {
    await migrate([addColumn, addIndex]);
    expect(await migrate([])).toEqual([]);
  });

  test('starts after a removal if it knows the migration since which nothing uses what was removed', async () => {
    const removal: Migration = {
      name: '9010-drop-text',
      kind: 'contract',
      unusedSince: addColumn.name,
      sql: 'alter table notes drop column text',
    };
    await migrate([addColumn, removal]);
    expect(await migrate([addColumn])).toEqual([]);
    await expect(migrate([])).rejects.toThrow(
      new SchemaError(
        'This version of Posthorn is too old for the database: migration 9010-drop-text has removed something that this version uses. Start a version that knows migration 9001-add-column.',
      ),
    );
  });

  test('refuses a database from which something was removed without such a migration', async () => {
    await migrate([{ name: '9011-drop-text', kind: 'contract', sql: 'alter table notes drop column text' }]);
    await expect(migrate([])).rejects.toThrow('Start a version that knows migration 9011-drop-text.');
  });
});

test('a database with another history is refused', async () => {
  await ctx.db('migrations').insert({ name: '9999-from-elsewhere' });
  await expect(migrate([addColumn])).rejects.toThrow(
    'The database has migrations that this version does not know: 9999-from-elsewhere.',
  );
});
