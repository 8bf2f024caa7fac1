import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { deleteOldEntries } from '../../src/audit-log/audit-log-store.js';
import { recordChange } from '../../src/audit-log/record-change.js';
import { limits } from '../../src/limits/limits.js';

let ctx: Context;
let workspaceId: string;
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it deletes old entries of all workspaces' });
  ({ workspaceId } = await createTestWorkspace(ctx));
});
afterEach(() => closeTestContext(ctx));

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const countEntries = async () => (await ctx.db('audit_log').select('id')).length;

test('entries are deleted once they are older than the limit', async () => {
  const before = await countEntries();
  expect(before).toBeGreaterThan(0);
  await deleteOldEntries(ctx, inDays(limits.auditLogDays.max - 1), () => true);
  expect(await countEntries()).toBe(before);
  await deleteOldEntries(ctx, inDays(limits.auditLogDays.max + 1), () => false);
  expect(await countEntries()).toBe(before);
  await deleteOldEntries(ctx, inDays(limits.auditLogDays.max + 1), () => true);
  expect(await countEntries()).toBe(0);
});

test('more entries than fit into one statement are deleted too', async () => {
  await ctx.db.raw(
    `insert into audit_log select gen_random_uuid(), workspace_id, actor_type, actor_id, actor_label, action,
       target_type, target_id, target_label, ip, changes, created_at
     from (select * from audit_log limit 1) as entry, generate_series(1, 2500)`,
  );
  await ctx.db.raw(`update audit_log set id = ('00' || substr(id::text, 3))::uuid`);
  await deleteOldEntries(ctx, inDays(limits.auditLogDays.max + 1), () => true);
  expect(await countEntries()).toBe(0);
});

test('an entry is rolled back with the transaction that wrote it', async () => {
  const before = await countEntries();
  const target = { type: 'workspace', id: workspaceId, label: 'Test' } as const;
  const [from, to] = [{ name: 'A' }, { name: 'B' }];
  const change = { workspaceId, action: 'workspace.updated', target, before: from, after: to } as const;
  const failing = ctx.db.transaction(async (trx) => {
    await recordChange(trx, operator, change);
    throw new Error('The change failed');
  });
  await expect(failing).rejects.toThrow('The change failed');
  expect(await countEntries()).toBe(before);
});

test('entries are deleted with their workspace', async () => {
  await ctx.db('workspaces').where({ id: workspaceId }).delete();
  expect(await countEntries()).toBe(0);
});
