import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db, isUnavailable } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { openPostgres } from '../../../domain/test/open-postgres.js';

const SILENCE_MS = 300;

let ctx: Context;
let db: Db;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it makes the database read-only' });
  db = connectDatabase(ctx.config.databaseUrl, { poolSize: 1, silenceMs: SILENCE_MS });
});

afterEach(async () => {
  await db.destroy();
  await closeTestContext(ctx);
});

async function backend(): Promise<number> {
  const { rows } = await db.raw('select pg_backend_pid() as pid');
  return rows[0].pid;
}

describe('a connection to Postgres', () => {
  test('stays open while idle, so that no query gets a connection that is about to close', async () => {
    const first = await backend();
    await sleep(3 * SILENCE_MS);
    expect(await backend()).toBe(first);
  });

  test('is closed when the server takes too long to reply, and the next one works', async () => {
    const first = await backend();
    await expect(db.raw('select pg_sleep(0.8)')).rejects.toThrow(/terminated/);
    expect(await backend()).not.toBe(first);
  });

  test('is closed when the server takes too long to reply, even after a long idle time', async () => {
    await backend();
    await sleep(3 * SILENCE_MS);
    await expect(db.raw('select pg_sleep(0.8)')).rejects.toThrow(/terminated/);
  });

  test('looks up rows by index, even if the table was empty when the statement was planned', async () => {
    await db.raw('vacuum analyze delivery_attempts');
    const { rows } = await db.raw(
      `explain (format json) select ended_at from delivery_attempts
       where email_id = '018f2f6e-0000-7000-8000-000000000000' and attempt = 1`,
    );
    expect(rows[0]['QUERY PLAN'][0].Plan).toMatchObject({ 'Index Name': 'delivery_attempts_first_pkey' });
  });
});

describe('a pool', () => {
  /** Occupies all connections at the same time. @returns the process ids of their backends */
  async function backends(pool: Db, count: number): Promise<number[]> {
    const query = 'select pg_backend_pid() as pid, pg_sleep(0.05)';
    const results = await Promise.all(Array.from({ length: count }, () => pool.raw(query)));
    return results.map(({ rows }) => rows[0].pid);
  }

  test('gives up all of its connections when one of them turns out to be read-only', async () => {
    const pool = connectDatabase(ctx.config.databaseUrl, { poolSize: 3 });
    const old = await backends(pool, 3);
    await Promise.all(old.map(() => pool.raw('set default_transaction_read_only = on; select pg_sleep(0.05)')));
    const error = await pool('usage')
      .delete()
      .catch((thrown) => thrown);
    expect([error.code, isUnavailable(error)]).toEqual(['25006', true]);
    await pool('usage').delete();
    expect((await backends(pool, 3)).filter((pid) => old.includes(pid))).toEqual([]);
    await pool.destroy();
  });

  test('uses the first host that is writable, and switches to the other one after a failover', async () => {
    const { host, password, pathname } = new URL(ctx.config.databaseUrl);
    const second = await openPostgres(password);
    await second.query(`create database "${pathname.slice(1)}"`);
    await second.set('default_transaction_read_only', 'on');
    const url = new URL(second.url);
    const hosts = `127.0.0.1:1,${url.host},${host}`;
    const pool = connectDatabase(`${url.href.replace(/@.*/, `@${hosts}`)}${pathname}?target_session_attrs=read-write`);
    const port = async () => Number((await pool.raw('show port')).rows[0].port);
    expect(await port()).toBe(Number(host.split(':')[1]));

    await second.set('default_transaction_read_only', 'off');
    await pool.raw('set default_transaction_read_only = on');
    await ctx.db.raw('alter database ?? set default_transaction_read_only = on', [pathname.slice(1)]);
    await expect(pool.raw('create table one (n int)')).rejects.toMatchObject({ code: '25006' });
    expect(await port()).toBe(Number(url.port));
    await pool.destroy();
    await second.close();
  });

  test('refuses to connect if no host is writable', async () => {
    await ctx.db.raw('alter database ?? set default_transaction_read_only = on', [
      new URL(ctx.config.databaseUrl).pathname.slice(1),
    ]);
    const pool = connectDatabase(`${ctx.config.databaseUrl}?target_session_attrs=read-write`, { poolSize: 1 });
    const error = await pool.raw('select 1').catch((thrown) => thrown);
    expect([error.message, isUnavailable(error)]).toEqual(['This Postgres server is read-only', true]);
    await pool.destroy();
  });
});
