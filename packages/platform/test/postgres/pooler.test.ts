import { untilSchemaReady } from '@posthorn/domain/startup';
import type { Context } from '@posthorn/platform';
import { connectDatabase, isUnavailable } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import pg from 'pg';
import { inPipeline } from '../../src/postgres/transactions.js';
import { openPooler, type Pooler } from './open-pooler.js';

const SETTINGS = `
  select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
    current_setting('idle_in_transaction_session_timeout') as idle, current_setting('enable_seqscan') as seqscan,
    current_setting('client_min_messages') as messages`;
const NEEDED = { statement: '5s', lock: '2s', idle: '10s', seqscan: 'off', messages: 'warning' };

const WITHOUT_PREPARED_STATEMENTS =
  'DATABASE_URL leads to a connection pooler (such as PgBouncer) in transaction mode without prepared statements. Set pool_mode=session in PgBouncer, or use PgBouncer 1.21 or later with max_prepared_statements=200.';

let ctx: Context;
let pooler: Pooler;

beforeEach(async () => {
  ctx = await openTestContext();
  pooler = await openPooler(ctx.config.databaseUrl, 'session');
});

afterEach(async () => {
  await pooler.close();
  await closeTestContext(ctx);
});

async function getError(work: PromiseLike<unknown>): Promise<Error> {
  return Promise.resolve(work).then(
    () => new Error('There was no error'),
    (error) => error,
  );
}

describe('a session', () => {
  test('has time limits, whether or not it goes through a pooler', async () => {
    for (const url of [ctx.config.databaseUrl, pooler.url]) {
      const db = connectDatabase(url, { poolSize: 2 });
      expect((await db.raw(SETTINGS)).rows).toEqual([NEEDED]);
      await db.destroy();
    }
  });
});

describe('a pooler in session mode', () => {
  test.each([1, 2])('is used if it has only %i connections left', async (left) => {
    pooler.setBackends(left);
    const db = connectDatabase(pooler.url, { poolSize: 1 });
    expect((await db.raw(SETTINGS)).rows).toEqual([NEEDED]);
    await db.destroy();
  });
});

describe('a pooler in statement mode', () => {
  test.each(['session', 'transaction'] as const)(
    'is refused, whether DATABASE_POOL_MODE is %s or not',
    async (mode) => {
      pooler.setMode('statement');
      const db = connectDatabase(pooler.url, { poolSize: 1, poolMode: mode });
      expect((await getError(db.raw('select 1'))).message).toBe(
        'DATABASE_URL leads to a connection pooler (such as PgBouncer) in statement mode, which allows no transactions. Set pool_mode=session in PgBouncer.',
      );
      await db.destroy();
    },
  );
});

describe('a pooler in transaction mode with prepared statements', () => {
  beforeEach(() => pooler.setMode('transaction'));

  test('is refused if DATABASE_POOL_MODE is session', async () => {
    const db = connectDatabase(pooler.url, { poolSize: 1 });
    expect((await getError(db.raw('select 1'))).message).toBe(
      'DATABASE_URL leads to a connection pooler (such as PgBouncer) in transaction mode, but DATABASE_POOL_MODE is session. Set DATABASE_POOL_MODE=transaction, or set pool_mode=session in PgBouncer.',
    );
    await db.destroy();
  });

  test('is used if DATABASE_POOL_MODE is transaction and its user has the time limits', async () => {
    const own = await openTestContext({ ownDatabase: 'it changes the defaults of its user' });
    const first = await openPooler(own.config.databaseUrl, 'transaction');
    const refused = connectDatabase(first.url, { poolSize: 2, poolMode: 'transaction' });
    const { message } = await getError(refused.raw('select 1'));
    expect(message).toMatch(
      /cannot set the limits of its sessions itself\. .*set statement_timeout = 5000;.*RECONNECT/,
    );
    await refused.destroy();
    await first.close();
    for (const [, statement] of message.matchAll(/(alter role .+?);/g)) await own.db.raw(String(statement));
    const second = await openPooler(own.config.databaseUrl, 'transaction');
    const db = connectDatabase(second.url, { poolSize: 2, poolMode: 'transaction' });
    expect((await db.raw(SETTINGS)).rows).toEqual([{ ...NEEDED, messages: 'notice' }]);
    const statement = { name: 'two', text: 'select $1::int as n' };
    expect(await inPipeline(db, (send) => send(statement, [2]))).toEqual([{ n: 2 }]);
    await db.destroy();
    await second.close();
    await closeTestContext(own);
  });
});

describe('a pooler without prepared statements that shares backends between clients', () => {
  beforeEach(() => pooler.setMode('shared'));

  test('stops a process that starts, instead of letting it wait', async () => {
    const db = connectDatabase(pooler.url, { poolSize: 1 });
    const starting = untilSchemaReady({ config: { ...ctx.config, databaseUrl: pooler.url }, db, log: ctx.log });
    expect((await getError(starting)).message).toBe(WITHOUT_PREPARED_STATEMENTS);
    await db.destroy();
  });

  test('makes the database unavailable, even if another host works', async () => {
    const { host } = new URL(ctx.config.databaseUrl);
    const url = pooler.url.replace(/@[^/]*/, (one) => `${one},${host}`);
    const db = connectDatabase(`${url}?target_session_attrs=read-write`, { poolSize: 1 });
    const error = await getError(db.raw('select 1'));
    expect([error.message, isUnavailable(error)]).toEqual([WITHOUT_PREPARED_STATEMENTS, true]);
    await db.destroy();
  });

  test('leaves no settings behind for the other clients', async () => {
    const db = connectDatabase(pooler.url, { poolSize: 1 });
    await getError(db.raw('select 1'));
    const other = new pg.Client(pooler.url);
    await other.connect();
    expect((await other.query(SETTINGS)).rows).toEqual([
      { statement: '0', lock: '0', idle: '0', seqscan: 'on', messages: 'notice' },
    ]);
    await other.end();
    await db.destroy();
  });
});

describe('a pool of connections through a pooler', () => {
  test('is told when the pooler begins to mix up prepared statements', async () => {
    const db = connectDatabase(pooler.url, { poolSize: 1 });
    const statement = { name: 'one', text: 'select 1 as n' };
    await inPipeline(db, (send) => send(statement, []));
    await db.raw('deallocate all');
    pooler.setMode('shared');
    const lost = await getError(inPipeline(db, (send) => send(statement, [])));
    expect([lost, isUnavailable(lost)]).toMatchObject([{ code: '26000' }, true]);
    expect((await getError(inPipeline(db, (send) => send(statement, [])))).message).toBe(WITHOUT_PREPARED_STATEMENTS);
    await db.destroy();
  });

  test('says which part of DATABASE_URL the pooler refuses', async () => {
    const db = connectDatabase(`${pooler.url}?options=-c%20search_path%3Dpublic`, { poolSize: 1 });
    expect((await getError(db.raw('select 1'))).message).toBe(
      'DATABASE_URL leads to a connection pooler (such as PgBouncer) that refuses part of it: unsupported startup parameter: options. Remove it.',
    );
    await db.destroy();
  });
});
