import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { readStoredBytes } from '@posthorn/domain/plans';
import { expireCountedMail, maintainPartitions } from '@posthorn/domain/retention';
import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { daysAhead, idAt, idsIn, idsInEach, inAllTables, storeEmail } from './store-email.js';

let ctx: Context;
let workspaceId: string;
let testId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it deletes the test mail of all workspaces' });
  ({ workspaceId } = await createTestWorkspace(ctx));
  await createKey(ctx, operator, workspaceId, { name: 'T', scopes: ['emails:send'], mode: 'test', expiresAt: null });
  testId = (await findWorkspace(ctx.db, workspaceId, 60))?.testId ?? '';
});

afterEach(() => closeTestContext(ctx));

async function storeTestEmail(keptUntil: Date, options?: { waits: boolean }): Promise<string> {
  const id = await storeEmail(ctx, testId, undefined, options);
  await ctx.db('counted_mail').insert({ email_id: id, workspace_id: testId, bytes: 5_000, kept_until: keptUntil });
  return id;
}

test('test mail is deleted with all its parts once its time is over, and nothing else', async () => {
  const live = await storeEmail(ctx, workspaceId);
  const kept = await storeTestEmail(daysAhead(0.5));
  for (let count = 0; count < 3; count += 1) await storeTestEmail(daysAhead(-0.5));
  await expireCountedMail(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([live, kept]));
  expect(await ctx.db('counted_mail').pluck('email_id')).toEqual([kept]);
});

test('an unfinished test email is kept, and deleted once it is finished', async () => {
  const waiting = await storeTestEmail(daysAhead(-1), { waits: true });
  await expireCountedMail(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([waiting]));
  await ctx.db('deliveries').delete();
  await expireCountedMail(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([waiting]));
  await expireCountedMail(ctx, daysAhead(2), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([]));
});

test('a row without an email, which was dropped with its partition, is deleted too', async () => {
  const id = await storeTestEmail(daysAhead(-1));
  await ctx.db.raw('alter table emails disable trigger emails_parts');
  await ctx.db('emails').where({ id }).delete();
  await expireCountedMail(ctx, new Date(), () => true);
  expect(await ctx.db('counted_mail').pluck('email_id')).toEqual([]);
});

async function storeLargeEmail(id: string): Promise<string> {
  await storeEmail(ctx, workspaceId, id);
  await ctx.db('counted_mail').insert({ email_id: id, workspace_id: workspaceId, bytes: 200_000 });
  return id;
}

/** The first call adds partitions, the second one drops those that have become old. */
async function dropContents(now: Date): Promise<void> {
  for (let count = 0; count < 2; count += 1) await maintainPartitions(ctx, now);
}

test('a live email is counted until its content is dropped with its partition, and is never deleted', async () => {
  const before = await readStoredBytes(ctx.db, workspaceId);
  const [old, recent] = [await storeLargeEmail(idAt(new Date())), await storeLargeEmail(idAt(daysAhead(60)))];
  await expireCountedMail(ctx, daysAhead(200), () => true);
  expect(await readStoredBytes(ctx.db, workspaceId)).toBe(before + 400_000);
  await dropContents(daysAhead(70));
  expect(await idsIn(ctx, 'email_contents')).toEqual([recent]);
  await expireCountedMail(ctx, new Date(), () => true);
  expect(await ctx.db('counted_mail').pluck('email_id')).toEqual([recent]);
  expect(await readStoredBytes(ctx.db, workspaceId)).toBe(before + 200_000);
  expect(await idsIn(ctx, 'emails')).toEqual([old, recent].sort());
});

test('many rows go in several statements, and two rounds at the same time do no harm', async () => {
  const bytes = await readStoredBytes(ctx.db, workspaceId);
  await ctx.db.raw(
    `insert into counted_mail (email_id, workspace_id, bytes)
     select overlay(:first::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, :workspaceId, 200000
     from generate_series(1, 1200) as n`,
    { first: idAt(new Date()), workspaceId },
  );
  await dropContents(daysAhead(70));
  await Promise.all([1, 2].map(() => expireCountedMail(ctx, new Date(), () => true)));
  expect(await readStoredBytes(ctx.db, workspaceId)).toBe(bytes);
});

test('what there is no time for is left for the next round', async () => {
  await storeTestEmail(daysAhead(-1));
  await expireCountedMail(ctx, new Date(), () => false);
  expect(await ctx.db('counted_mail').pluck('email_id')).toHaveLength(1);
});
