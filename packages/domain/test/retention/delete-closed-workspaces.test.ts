import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { createDomain } from '@posthorn/domain/domains';
import { deleteClosedWorkspaces } from '@posthorn/domain/retention';
import { createTemplate } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { addWebhook } from '../webhooks/add-webhook.js';
import { daysAhead, idAt, storeEmail } from './store-email.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it deletes all closed workspaces' });
});
afterEach(() => closeTestContext(ctx));

/** Fills a workspace with something of every kind. @returns its id and that of its test workspace */
async function fill(): Promise<{ liveId: string; testId: string }> {
  const { workspaceId: liveId } = await createTestWorkspace(ctx);
  await createKey(ctx, operator, liveId, { name: 'Test', mode: 'test', scopes: ['emails:send'], expiresAt: null });
  const { id: testId } = await ctx.db('workspaces').where({ test_of: liveId }).first('id');
  await createDomain(ctx, operator, liveId, 'a.example');
  await createTemplate(ctx, operator, liveId, { name: 'x', subject: 'x', htmlBody: 'x', textBody: 'x' });
  for (const [n, workspaceId] of [liveId, testId].entries()) {
    for (const waits of [false, true])
      await storeEmail(ctx, workspaceId, idAt(daysAhead(-1), 2 * n + Number(waits)), { waits });
    const webhook = await addWebhook(ctx, workspaceId);
    const event = { workspace_id: workspaceId, stream_id: newId(), sequence: 1 };
    await ctx.db('events').insert({ ...event, id: newId(), type: 'usage.threshold', created_at: new Date() });
    await ctx
      .db('webhook_deliveries')
      .insert({ ...event, webhook_id: webhook.id, event_id: newId(), due_at: new Date() });
    await ctx
      .db('suppressions')
      .insert({ id: newId(), workspace_id: workspaceId, address: 'a@b.example', reason: 'manual' });
    const blob = { workspace_id: workspaceId, sha256: Buffer.alloc(32, n), size: 1, kept_until: new Date() };
    await ctx.db('blobs').insert({ ...blob, object_key: `key ${n} ${liveId}` });
  }
  return { liveId, testId };
}

/** How many rows each table has of the workspaces. */
async function countRows(ids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await ctx.db.raw(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_name)
     where column_name = 'workspace_id' and table_type = 'BASE TABLE'
       and table_name not in (select inhrelid::regclass::text from pg_inherits) order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const count = (await ctx.db(name).whereIn('workspace_id', ids)).length;
    if (count > 0) counts[name] = count;
  }
  return counts;
}

const close = (id: string) => ctx.db('workspaces').where({ id }).update({ closed_at: new Date() });

test('a closed workspace is deleted with its test mail and everything in both', async () => {
  const [closed, open] = [await fill(), await createTestWorkspace(ctx)];
  const ids = [closed.liveId, closed.testId];
  expect(Object.keys(await countRows(ids)).length).toBeGreaterThan(15);
  const before = await countRows([open.workspaceId]);
  await close(closed.liveId);
  await deleteClosedWorkspaces(ctx, () => true);
  expect(await countRows(ids)).toEqual({});
  expect(await ctx.db('workspaces').whereIn('id', ids)).toEqual([]);
  expect(await ctx.db('unused_objects').pluck('object_key')).toHaveLength(2);
  expect(await countRows([open.workspaceId])).toEqual(before);
});

test('processes that delete it at the same time do not get in the way of each other', async () => {
  const { liveId, testId } = await fill();
  await close(liveId);
  const deleteAll = () => deleteClosedWorkspaces(ctx, () => true);
  await Promise.all([deleteAll(), deleteAll(), deleteAll()]);
  expect(await countRows([liveId, testId])).toEqual({});
});

test('a large workspace is deleted in batches, over several rounds', async () => {
  const { workspaceId } = await createTestWorkspace(ctx);
  await ctx.db.raw(
    `insert into suppressions (id, workspace_id, address, reason)
     select gen_random_uuid(), ?, n || '@example.com', 'manual' from generate_series(1, 1200) as n`,
    [workspaceId],
  );
  await close(workspaceId);
  const listLeft = () => ctx.db('suppressions').where({ workspace_id: workspaceId });
  // The emails, events, deliveries, files and templates, and two batches of suppressions.
  let batches = 7;
  await deleteClosedWorkspaces(ctx, () => batches-- > 0);
  expect(await listLeft()).toHaveLength(200);
  await deleteClosedWorkspaces(ctx, () => true);
  expect(await listLeft()).toEqual([]);
  expect(await ctx.db('workspaces').where({ id: workspaceId })).toEqual([]);
});
