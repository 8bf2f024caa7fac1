import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

describe('posthorn plan', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'the command changes the limits of a plan for all workspaces' });
  });
  afterAll(() => closeTestContext(ctx));

  test('limits changes the limits of a plan for all its workspaces', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const limits = await posthornFor(ctx)('plan', 'limits', 'free', '--monthly', '500', '--daily', 'none', '--json');
    expect(parseOutput(limits)).toEqual({
      plan: 'free',
      monthly: 500,
      daily: null,
      rate_per_minute: 60,
      overage_cap: 0,
      storage_bytes: 1_000_000_000,
    });
    expect((await findWorkspace(ctx.db, workspaceId, 60))?.allowance).toMatchObject({ monthly: 500, daily: null });
  });

  test('limits rejects an unknown plan', async () => {
    const { code, stderr } = await posthornFor(ctx)('plan', 'limits', 'gold', '--monthly', '1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^posthorn: .*Allowed choices are free, pro\.\n$/)]);
  });
});
