import { createWorkspace, deleteUnconfirmedAccounts } from '@posthorn/domain/accounts';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { DAY_MS, newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { updateEmailVerified } from '../../src/accounts/user-store.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it deletes accounts of all workspaces' });
});
afterEach(() => closeTestContext(ctx));

const NOW = new Date('2026-11-20T12:00:00Z');
const { max: days } = limits.unconfirmedDays;

/** Creates an account that is so many days old at NOW. */
function addAccount(ageDays: number, by: 'sign-up' | 'an operator' = 'sign-up') {
  const signup = { peer: '192.0.2.1', ip: null };
  const then = { ...ctx, now: () => new Date(NOW.getTime() - ageDays * DAY_MS) };
  const account = { name: 'Test', email: `${newId()}@example.com`, passwordHash: 'hash', planId: 'free' } as const;
  return createWorkspace(then, { ...account, ...(by === 'sign-up' && { signup }) });
}

const deleteAll = (mayContinue = () => true) => deleteUnconfirmedAccounts(ctx, NOW, mayContinue);
const listUsers = () => ctx.db('users').orderBy('id').pluck('id');
const listOpen = () => ctx.db('workspaces').where({ closed_at: null, slug: 'test' }).pluck('id');

test('an account that nobody has confirmed in time is deleted, and its workspace is closed', async () => {
  const old = await addAccount(days + 0.01);
  const recent = await addAccount(days - 0.01);
  await deleteAll();
  expect(await listUsers()).toEqual([recent.userId]);
  const [closed] = await ctx.db('workspaces').whereNotNull('closed_at');
  expect(closed).toMatchObject({ id: old.workspaceId, unverified_owner_id: null });
  expect(await ctx.db('memberships').pluck('workspace_id')).toEqual([recent.workspaceId]);
});

test('confirmed accounts and those that an operator created are kept', async () => {
  const confirmed = await addAccount(days + 1);
  await updateEmailVerified(ctx.db, confirmed.userId, NOW);
  const created = await addAccount(400, 'an operator');
  await deleteAll();
  expect(await listUsers()).toEqual([created.userId, confirmed.userId].sort());
});

test('an account whose address is being confirmed is kept', async () => {
  const { userId } = await addAccount(days + 1);
  const confirming = await ctx.db.transaction();
  await updateEmailVerified(confirming, userId, NOW);
  await deleteAll();
  await confirming.commit();
  await deleteAll();
  expect(await listUsers()).toEqual([userId]);
});

test('processes that work at the same time delete each account once, in batches', async () => {
  const workspaces = 5;
  for (let added = 0; added < workspaces; added += 1) await addAccount(days + 1);
  await ctx.db.raw(
    `insert into users (id, email, password_hash, created_at)
     select gen_random_uuid(), n || '@example.com', 'hash', now() - interval '1 year' from generate_series(1, 120) as n`,
  );
  let batches = 1;
  await deleteAll(() => batches-- > 0);
  expect(await listUsers()).toHaveLength(25);
  await Promise.all([deleteAll(), deleteAll(), deleteAll()]);
  expect(await listUsers()).toEqual([]);
  expect(await listOpen()).toEqual([]);
  expect(await ctx.db('workspaces').whereNotNull('closed_at')).toHaveLength(workspaces);
});
