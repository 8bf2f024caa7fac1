import { createKey, listKeys } from '@posthorn/domain/api-keys';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

describe('createKey', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('never exceeds the key limit, however many keys are created at the same time', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const fields = { name: 'CI', scopes: ['emails:send' as const], expiresAt: null };
    const free = 10;
    // Only the last few keys are created at once. If all were, some would wait too long for a connection from the
    // pool. The workspace already has one key.
    for (let count = 1; count < limits.keys.max - free; count += 1) await createKey(ctx, operator, workspaceId, fields);
    const results = await Promise.allSettled(
      Array.from({ length: 2 * free }, () => createKey(ctx, operator, workspaceId, fields)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(free);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    const first = { limit: limits.keys.max + 1, after: null, before: null };
    expect((await listKeys(ctx.db, { workspaceId, revoked: null }, first)).rows).toHaveLength(limits.keys.max);
  });
});
