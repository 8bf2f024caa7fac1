import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildHandoffKey, findHandoffMarkers, writeHandoffMarker } from '@posthorn/domain/delivery';
import { countWaiting } from '@posthorn/domain/emails';
import { prepareRestore } from '@posthorn/domain/restores';
import { readAndWatchIncarnation } from '@posthorn/domain/startup';
import { buildUsageKey } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { connectDatabase } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext, toDatabaseUrl } from '@posthorn/testing';
import { readIncarnation } from '../../src/postgres/incarnation-store.js';

const RESTART_MS = 10_000;

let ctx: Context;
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'a restore begins a new incarnation of the whole database' });
});
afterEach(() => closeTestContext(ctx));

/** Adds an email that is due to the queue. */
const addDelivery = () =>
  ctx.db('deliveries').insert({ email_id: newId(), workspace_id: newId(), due_at: new Date(), is_due: true });

/** @returns for what reasons the process would have restarted */
async function restartReasons(base: Context): Promise<string[]> {
  const reasons: string[] = [];
  await readAndWatchIncarnation(base, (reason) => reasons.push(reason));
  return reasons;
}

test('after `restore prepare`, no key that repeats what Postgres knows has its old name', async () => {
  const names = () => [buildUsageKey(ctx, 'w', '2026-11'), buildHandoffKey(ctx, 'e', 1)];
  const before = names();
  expect(before.map((name) => name.replace(/^[0-9a-f]{10}:/, ''))).toEqual(['{w}:usage:2026-11', '{e}:handoff:1']);
  await prepareRestore(ctx.config.databaseUrl);
  await ctx.incarnation.read();
  for (const [index, name] of names().entries()) expect(name).not.toBe(before[index]);
});

test('a handoff marker from before a restore is not found after it', async () => {
  const id = newId();
  const marker = { id, attempt: 1, recipientResults: [] };
  const find = () => findHandoffMarkers(ctx, { id, attempt: 2, ambiguousAttempts: 1, unsentAttempts: 0 });
  await writeHandoffMarker(ctx, marker, 60);
  expect(await find()).toEqual([[]]);
  await prepareRestore(ctx.config.databaseUrl);
  await ctx.incarnation.read();
  expect(await find()).toEqual([]);
});

test('a process that was running during `restore prepare` restarts', async () => {
  const reasons = await restartReasons(ctx);
  await sleep(100);
  expect(reasons).toEqual([]);
  await prepareRestore(ctx.config.databaseUrl);
  for (const deadline = Date.now() + RESTART_MS; reasons.length === 0 && Date.now() < deadline; ) await sleep(20);
  expect(reasons).toEqual(['database_was_restored']);
});

test('a process that starts again parks nothing and keeps the incarnation', async () => {
  await restartReasons(ctx);
  const id = ctx.incarnation.id();
  await addDelivery();
  await restartReasons(ctx);
  expect([ctx.incarnation.id(), (await countWaiting(ctx.db)).parked]).toEqual([id, 0]);
});

test('a process that starts on a copy of the database parks what was waiting and begins a new incarnation', async () => {
  await restartReasons(ctx);
  await addDelivery();
  const copy = await copyDatabase(ctx);
  try {
    await restartReasons(copy);
    expect(copy.incarnation.id()).not.toBe(ctx.incarnation.id());
    expect((await countWaiting(copy.db)).parked).toBe(1);
  } finally {
    await closeTestContext(copy);
  }
  expect((await countWaiting(ctx.db)).parked).toBe(0);
});

test('without the privilege to name the cluster, a process starts and works all the same', async () => {
  const { username } = new URL(ctx.config.databaseUrl);
  await ctx.db.transaction(async (trx) => {
    const role = `limited_${randomBytes(6).toString('hex')}`;
    await trx.raw('create role ??', [role]);
    await trx.raw('grant select on incarnation to ??', [role]);
    await trx.raw('revoke execute on function pg_control_system() from public');
    await trx.raw('set local role ??', [role]);
    expect(await readIncarnation(trx)).toEqual({ stored: { id: ctx.incarnation.id(), database: null }, current: null });
    await trx.raw('set local role ??', [username]);
    await trx.raw('drop owned by ??', [role]);
    await trx.raw('drop role ??', [role]);
    await trx.raw('grant execute on function pg_control_system() to public');
  });
});

/** Works like a dump that is restored into another database. The original must have no connections while it is copied. */
async function copyDatabase({ config }: Context): Promise<Context> {
  const { pathname } = new URL(config.databaseUrl);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = connectDatabase(toDatabaseUrl(config.databaseUrl, 'postgres'), { poolSize: 1 });
  try {
    await admin.raw('select pg_terminate_backend(pid) from pg_stat_activity where datname = ?', [pathname.slice(1)]);
    await admin.raw('create database ?? template ??', [name, pathname.slice(1)]);
  } finally {
    await admin.destroy();
  }
  return openTestContext({ config: { databaseUrl: toDatabaseUrl(config.databaseUrl, name) } });
}
