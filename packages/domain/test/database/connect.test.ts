import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, connectDatabase, type Db } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';

const SILENCE_MS = 300;

let ctx: Context;
let db: Db;

beforeEach(async () => {
  ctx = await openTestContext();
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

  test('looks up rows by index, even if the table was empty when the statement was planned', async () => {
    await db.raw('vacuum analyze delivery_attempts');
    const { rows } = await db.raw(
      `explain (format json) select ended_at from delivery_attempts
       where email_id = '018f2f6e-0000-7000-8000-000000000000' and attempt = 1`,
    );
    expect(rows[0]['QUERY PLAN'][0].Plan).toMatchObject({ 'Index Name': 'delivery_attempts_pkey' });
  });
});
