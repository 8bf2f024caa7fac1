import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { deleteOldTestMail } from '@posthorn/domain/retention';
import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { daysAhead, idsInEach, inAllTables, storeEmail } from './store-email.js';

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
  await ctx.db('test_mail').insert({ email_id: id, workspace_id: testId, bytes: 5_000, kept_until: keptUntil });
  return id;
}

test('test mail is deleted with all its parts once its time is over, and nothing else', async () => {
  const live = await storeEmail(ctx, workspaceId);
  const kept = await storeTestEmail(daysAhead(0.5));
  for (let count = 0; count < 3; count += 1) await storeTestEmail(daysAhead(-0.5));
  await deleteOldTestMail(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([live, kept]));
  expect(await ctx.db('test_mail').pluck('email_id')).toEqual([kept]);
});

test('an unfinished test email is kept, and deleted once it is finished', async () => {
  const waiting = await storeTestEmail(daysAhead(-1), { waits: true });
  await deleteOldTestMail(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([waiting]));
  await ctx.db('deliveries').delete();
  await deleteOldTestMail(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([waiting]));
  await deleteOldTestMail(ctx, daysAhead(2), () => true);
  expect(await idsInEach(ctx)).toEqual(inAllTables([]));
});

test('a row without an email, which was dropped with its partition, is deleted too', async () => {
  const id = await storeTestEmail(daysAhead(-1));
  await ctx.db.raw('alter table emails disable trigger emails_parts');
  await ctx.db('emails').where({ id }).delete();
  await deleteOldTestMail(ctx, new Date(), () => true);
  expect(await ctx.db('test_mail').pluck('email_id')).toEqual([]);
});

test('what there is no time for is left for the next round', async () => {
  await storeTestEmail(daysAhead(-1));
  await deleteOldTestMail(ctx, new Date(), () => false);
  expect(await ctx.db('test_mail').pluck('email_id')).toHaveLength(1);
});
