import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace } from '@posthorn/domain/accounts';
import { operator } from '@posthorn/domain/audit-log';
import { addRelay, removeRelay } from '@posthorn/domain/relays';
import { migrateDatabase } from '@posthorn/domain/schema';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Loop } from '@posthorn/platform/processes';
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

afterEach(async () => {
  await stop();
  await closeTestContext(ctx);
});

/** The clean-up that is running, if there is one. */
let running: Loop | null = null;

function start(changes: Partial<typeof ctx> = {}): void {
  running = startCleanUp({ ...ctx, ...changes });
}

async function stop(): Promise<void> {
  await running?.stop();
  running = null;
}

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
  start();
  await until(async () => (await ctx.db('idempotency_keys')).length === 3);
  await stop();
});

test('the clean-up deletes what the service remembers for only so long, and nothing newer', async () => {
  const workspace_id = workspaceId;
  // The time is the first part of an id. The first of each pair is too old for every limit.
  const [oldId, newId] = ['00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'];
  const [longAgo, now] = [new Date(0), new Date()];
  const bounce = { workspace_id, address: 'jane@example.com', bounce_class: 'unknown' };
  const report = { size: 0, due_at: null, result: 'nothing' };
  const stats = {
    workspace_id,
    sent: 1,
    bounced: 0,
    hard_bounced: 0,
    counted_bounces: 0,
    complained: 0,
    unauthenticated_complaints: 0,
  };
  const bounced = { workspace_id, sequence: 1, email_id: oldId };
  const { id: _, ...entry } = await ctx.db('audit_log').first();
  const rows = {
    audit_log: [oldId, newId].map((id) => ({ ...entry, changes: JSON.stringify(entry.changes), id })),
    soft_bounces: [longAgo, now].map((bounced_at) => ({ ...bounce, bounced_at })),
    feedback_reports: [
      { ...report, id: oldId, digest: Buffer.from(oldId), expires_at: now },
      { ...report, id: newId, digest: Buffer.from(newId), expires_at: new Date(now.getTime() + 3_600_000) },
    ],
    sending_stats: [longAgo, now].map((hour) => ({ ...stats, hour })),
    bounces: [oldId, newId].map((id) => ({ ...bounced, id, bounce_class: 'unknown' })),
  };
  await ctx.db('audit_log').delete();
  for (const [table, all] of Object.entries(rows)) await ctx.db(table).insert(all);
  start();
  for (const table of Object.keys(rows)) await until(async () => (await ctx.db(table)).length === 1);
  await stop();
  for (const table of ['audit_log', 'feedback_reports', 'bounces'])
    expect(await ctx.db(table).pluck('id')).toEqual([newId]);
  expect(await ctx.db('soft_bounces').pluck('bounced_at')).toEqual([now]);
  expect(await ctx.db('sending_stats').pluck('hour')).toEqual([now]);
});

test.each(['audit_log', 'soft_bounces', 'feedback_reports', 'sending_stats'])(
  'if Postgres cannot delete from %s, the clean-up says so',
  async (table) => {
    await ctx.db.schema.renameTable(table, 'hidden');
    const warn = jest.fn();
    start({ log: { ...ctx.log, warn } });
    await until(async () => warn.mock.calls.length > 0);
    await stop();
    const error = expect.objectContaining({ message: expect.stringContaining(table) });
    expect(warn.mock.calls).toEqual([[{ error }, 'cleanup_failed']]);
  },
);

test('the clean-up adds partitions when a worker starts', async () => {
  // Test databases have these partitions, but a new one does not.
  await ctx.db.raw('drop schema public cascade; create schema public');
  await migrateDatabase(ctx.config.databaseUrl);
  const count = async () =>
    (await ctx.db.raw("select from pg_inherits where inhparent = 'email_contents'::regclass")).rows.length;
  const before = await count();
  start();
  await until(async () => (await count()) > before);
  await stop();
});

test('the clean-up writes the usage events that were missed while limits were changed', async () => {
  await setWorkspaceLimits(ctx, operator, workspaceId, { daily: 10 });
  await ctx.db('usage').insert({ workspace_id: workspaceId, period: new Date().toISOString().slice(0, 10), used: 9 });
  start();
  await until(async () => (await ctx.db('events').where({ type: 'usage.threshold' })).length === 1);
  await stop();
});

test('after each start, the clean-up warns only once about objects that it cannot delete', async () => {
  await ctx.db('unused_objects').insert([{ object_key: 'a' }, { object_key: 'b' }]);
  const warn = jest.fn();
  for (const starts of [1, 2]) {
    start({ log: { ...ctx.log, warn } });
    await until(async () => warn.mock.calls.length === starts);
    await stop();
  }
  expect(warn.mock.calls).toEqual(Array(2).fill([{ unused: 2 }, 'objects_not_deletable']));
});

test('the clean-up stops immediately, and the next one deletes what is left', async () => {
  await storeKeys(EXPIRED, new Date(Date.now() - 60_000));
  start();
  await stop();
  start();
  await until(async () => (await ctx.db('idempotency_keys')).length === 0);
  await stop();
});

test('an account that nobody confirmed is deleted in one round, together with its workspace', async () => {
  const then = { ...ctx, now: () => new Date(Date.now() - 8 * 86_400_000) };
  const signup = { peer: '192.0.2.1', ip: null };
  const account = { name: 'Test', email: 'ada@example.com', passwordHash: 'hash', planId: 'free', signup } as const;
  const { userId, workspaceId: id } = await createWorkspace(then, account);
  start();
  await until(async () => (await ctx.db('workspaces').where({ id })).length === 0);
  await stop();
  expect(await ctx.db('users').where({ id: userId })).toEqual([]);
  expect(await ctx.db('workspaces').where({ id: workspaceId })).toHaveLength(1);
});

test('the clean-up deletes relays that were removed over 30 days ago', async () => {
  for (const name of ['used', 'removed', 'old']) await addRelay(ctx, operator, { name, url: 'smtp://relay.example' });
  await removeRelay(ctx, operator, 'removed');
  await removeRelay({ ...ctx, now: () => new Date(Date.now() - 31 * 24 * 3_600_000) }, operator, 'old');
  start();
  await until(async () => (await ctx.db('relays')).length === 2);
  expect(await ctx.db('relays').orderBy('name').pluck('name')).toEqual(['removed', 'used']);
});
