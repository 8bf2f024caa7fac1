import { type Context, createKey, limits, listKeys } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

describe('createKey', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('passes the most keys of a workspace by none, however many are made at once', async () => {
    // It comes with a key of its own.
    const { workspaceId } = await createTestWorkspace(ctx);
    const wanted = { name: 'CI', scopes: ['emails:send' as const], expiresAt: null };
    const made = await Promise.allSettled(
      Array.from({ length: limits.keys.max + 20 }, () => createKey(ctx, workspaceId, wanted)),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(limits.keys.max - 1);
    for (const one of made) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    expect(await listKeys(ctx.db, workspaceId)).toHaveLength(limits.keys.max);
  });
});
