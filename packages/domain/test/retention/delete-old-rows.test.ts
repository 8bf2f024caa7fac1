import { deleteOldRows } from '@posthorn/domain/retention';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { daysAhead, idAt, idsIn, idsInEach, inAllTables, storeEmail } from './store-email.js';

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it deletes old rows of all workspaces' });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

const setDays = (days: { content?: number | null; email?: number | null }) =>
  ctx
    .db('workspaces')
    .where({ id: workspaceId })
    .update({ content_retention_days: days.content ?? null, email_retention_days: days.email ?? null });

const deleteAll = () => deleteOldRows(ctx, new Date(), () => true);

const storeAt = (days: number, n = 0) => storeEmail(ctx, workspaceId, idAt(daysAhead(days), n));

test('a workspace can keep the content of its emails for fewer days than the service does', async () => {
  const [old, recent] = [await storeAt(-8), await storeAt(-6)];
  await setDays({ content: 7 });
  await deleteAll();
  expect(await idsInEach(ctx)).toEqual({ ...inAllTables([old, recent]), email_contents: [recent] });
  const older = await storeAt(-7.5);
  await deleteAll();
  expect(await idsInEach(ctx)).toEqual({ ...inAllTables([old, older, recent]), email_contents: [recent] });
});

test('a workspace can keep its emails for fewer days, which does not change its usage', async () => {
  const [, recent] = [await storeAt(-91), await storeAt(-89)];
  await ctx.db('usage').insert({ workspace_id: workspaceId, period: '2026-11', used: 2 });
  await setDays({ email: 90 });
  await deleteAll();
  expect(await idsInEach(ctx)).toEqual(inAllTables([recent]));
  expect(await ctx.db('usage').pluck('used')).toEqual([2]);
});

test('other workspaces keep their emails', async () => {
  const other = (await createTestWorkspace(ctx)).workspaceId;
  const kept = await storeEmail(ctx, other, idAt(daysAhead(-100)));
  await setDays({ content: 7, email: 90 });
  await deleteAll();
  expect(await idsInEach(ctx)).toEqual(inAllTables([kept]));
});

test('nothing is deleted from an unfinished email', async () => {
  const id = await storeEmail(ctx, workspaceId, idAt(daysAhead(-20)), { waits: true });
  await setDays({ content: 7, email: 10 });
  await deleteAll();
  expect(await idsInEach(ctx)).toEqual(inAllTables([id]));
  await ctx.db('deliveries').delete();
  await deleteAll();
  expect(await idsInEach(ctx)).toEqual(inAllTables([]));
});

test('rows are deleted in batches, and deletion stops between two batches when told to', async () => {
  for (let n = 0; n < 3; n += 1) await storeAt(-20, n);
  await ctx.db.raw(
    `insert into emails (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day)
     select (left(:id, 24) || lpad(to_hex(n), 12, '0'))::uuid, :workspaceId, 'sent', 'a', 'a', 'Hi', '{}', 1, now(), now()
     from generate_series(10, 1209) as n`,
    { id: idAt(daysAhead(-20)), workspaceId },
  );
  await setDays({ email: 10 });
  let batches = 2;
  await deleteOldRows(ctx, new Date(), () => batches-- > 0);
  expect(await idsIn(ctx, 'emails')).toHaveLength(203);
  await deleteAll();
  expect(await idsIn(ctx, 'emails')).toEqual([]);
});
