import { migrateDatabase } from '@posthorn/domain/schema';
import { untilDatabaseReady } from '@posthorn/domain/startup';
import type { Context } from '@posthorn/platform';
import { findFreePort } from '@posthorn/servers';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';

let ctx: Context;
let port: number;

afterEach(() => closeTestContext(ctx));

async function open(migrateOnStart: boolean): Promise<void> {
  ctx = await openTestContext({ ownDatabase: 'it changes the schema', config: { migrateOnStart } });
  port = await findFreePort();
}

const emptyDatabase = () => ctx.db.raw('drop schema public cascade; create schema public');

async function probe(path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
  return response && { status: response.status, body: (await response.json()) as { status: string } };
}

const untilStatus = (status: string) => until(async () => (await probe('/readyz'))?.body.status === status);

/** Starts waiting. @returns whether the process may serve, and the promise of it */
function start() {
  const state = { isReady: false, ready: Promise.resolve() };
  state.ready = untilDatabaseReady(ctx, { ports: [null, port], restart: () => {} }).then(() => {
    state.isReady = true;
  });
  return state;
}

describe('a process with MIGRATE_ON_START=off', () => {
  beforeEach(() => open(false));

  test('is alive but not ready until the database is migrated', async () => {
    await emptyDatabase();
    const state = start();
    await untilStatus('waiting_for_migration');
    expect(await probe('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await probe('/readyz?verbose')).toEqual({ status: 503, body: { status: 'waiting_for_migration' } });
    expect((await probe('/api/v1/emails'))?.status).toBe(503);
    expect(state.isReady).toBe(false);
    expect((await ctx.db.raw("select to_regclass('emails') as found")).rows[0].found).toBeNull();
    await migrateDatabase(ctx.config.databaseUrl);
    await state.ready;
    expect(await probe('/healthz')).toBeNull();
  });

  test('waits for the last migration', async () => {
    const [last] = await ctx.db('migrations').orderBy('name', 'desc').limit(1);
    await ctx.db('migrations').where({ name: last.name }).delete();
    const state = start();
    await untilStatus('waiting_for_migration');
    await ctx.db('migrations').insert(last);
    await state.ready;
  });

  test('waits after a restore until new events follow the stored ones', async () => {
    await ctx.db('webhook_cursor').update({ position: 900_000_000_000 });
    const state = start();
    await untilStatus('waiting_for_migration');
    await migrateDatabase(ctx.config.databaseUrl);
    await state.ready;
  });

  test('serves at once if the database is migrated', async () => {
    await start().ready;
  });
});

test('a process that parks the emails of a restored database answers probes in the meantime', async () => {
  await open(true);
  await ctx.db('incarnation').update({ database: 'another one' });
  const trx = await ctx.db.transaction();
  await trx('incarnation').forUpdate();
  const state = start();
  await untilStatus('preparing');
  expect((await probe('/healthz'))?.status).toBe(200);
  await trx.rollback();
  await state.ready;
});

describe('a process with MIGRATE_ON_START=on', () => {
  beforeEach(() => open(true));

  test('migrates, and answers probes in the meantime', async () => {
    await emptyDatabase();
    const trx = await ctx.db.transaction();
    await trx.raw('set local idle_in_transaction_session_timeout = 0; select pg_advisory_xact_lock(7673784)');
    const state = start();
    await untilStatus('migrating');
    expect((await probe('/healthz'))?.status).toBe(200);
    await trx.rollback();
    await state.ready;
    expect((await ctx.db.raw("select to_regclass('emails') as found")).rows[0].found).toBe('emails');
  });

  test('does not start with a database from which something was removed', async () => {
    await ctx.db('migrations').insert({ name: '9999-drop', requires: '9998-unused' });
    await expect(start().ready).rejects.toThrow('This version of Posthorn is too old for the database');
  });

  test('starts with a database to which a newer version has added something', async () => {
    await ctx.db('migrations').insert({ name: '9999-add', requires: null });
    await start().ready;
  });
});
