import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, migrateDatabase, operator, setWorkspaceLimits } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { startCleanUp } from '../src/maintenance/clean-up.js';

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
/** More rows than one statement can delete. */
const EXPIRED = 2_500;

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'the clean-up deletes old rows of all workspaces' });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

const storeKeys = (count: number, expiresAt: Date) =>
  ctx.db.raw(
    `insert into idempotency_keys (workspace_id, key_hash, fingerprint, response, expires_at)
     select ?, decode(md5(n || ?), 'hex'), '', '', ? from generate_series(1, ?::int) as n`,
    [workspaceId, expiresAt.toISOString(), expiresAt, count],
  );

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error('The clean-up did not happen');
    await sleep(POLL_MS);
  }
}

test('the clean-up deletes all expired idempotency keys in one round, and no others', async () => {
  await storeKeys(EXPIRED, new Date(Date.now() - 60_000));
  await storeKeys(3, new Date(Date.now() + 60_000));
  const cleanUp = startCleanUp(ctx);
  await until(async () => (await ctx.db('idempotency_keys')).length === 3);
  await cleanUp.stop();
});

test('the clean-up adds partitions when a worker starts', async () => {
  // Test databases have these partitions, but a new one does not.
  await ctx.db.raw('drop schema public cascade; create schema public');
  await migrateDatabase(ctx.config.databaseUrl);
  const count = async () =>
    (await ctx.db.raw("select from pg_inherits where inhparent = 'email_contents'::regclass")).rows.length;
  const before = await count();
  const cleanUp = startCleanUp(ctx);
  await until(async () => (await count()) > before);
  await cleanUp.stop();
});

test('the clean-up writes the usage events that were missed while limits were changed', async () => {
  await setWorkspaceLimits(ctx, operator, workspaceId, { daily: 10 });
  await ctx.db('usage').insert({ workspace_id: workspaceId, period: new Date().toISOString().slice(0, 10), used: 9 });
  const cleanUp = startCleanUp(ctx);
  await until(async () => (await ctx.db('events').where({ type: 'usage.threshold' })).length === 1);
  await cleanUp.stop();
});

test('after each start, the clean-up warns only once about objects that it cannot delete', async () => {
  await ctx.db('unused_objects').insert([{ object_key: 'a' }, { object_key: 'b' }]);
  const warn = jest.fn();
  for (let start = 1; start <= 2; start += 1) {
    const cleanUp = startCleanUp({ ...ctx, log: { ...ctx.log, warn } });
    await until(async () => warn.mock.calls.length === start);
    await cleanUp.stop();
  }
  expect(warn.mock.calls).toEqual(Array(2).fill([{ unused: 2 }, 'objects_not_deletable']));
});

test('the clean-up stops immediately, and the next one deletes what is left', async () => {
  await storeKeys(EXPIRED, new Date(Date.now() - 60_000));
  await startCleanUp(ctx).stop();
  const cleanUp = startCleanUp(ctx);
  await until(async () => (await ctx.db('idempotency_keys')).length === 0);
  await cleanUp.stop();
});
