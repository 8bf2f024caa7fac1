import { type Context, createKey, limits, listKeys } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

describe('createKey', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('never exceeds the limit of keys, however many are created at the same time', async () => {
    // The workspace already has one key.
    const { workspaceId } = await createTestWorkspace(ctx);
    const fields = { name: 'CI', scopes: ['emails:send' as const], expiresAt: null };
    const results = await Promise.allSettled(
      Array.from({ length: limits.keys.max + 20 }, () => createKey(ctx, workspaceId, fields)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(limits.keys.max - 1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    expect(await listKeys(ctx.db, workspaceId)).toHaveLength(limits.keys.max);
  });
});
