import { createWorkspace } from '@posthorn/domain/accounts';
import { findWorkspace, setPlan, setPlanLimits, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

describe('limits set by an operator', () => {
  let ctx: Context;
  let workspaceId: string;
  beforeEach(async () => {
    ctx = await openTestContext({ ownDatabase: 'it changes the limits of a plan for all workspaces' });
    const fields = { name: 'Acme', email: 'ada@example.com', passwordHash: 'a hash', planId: 'free' as const };
    ({ workspaceId } = await createWorkspace(ctx, fields));
  });
  afterEach(() => closeTestContext(ctx));

  const allowance = async () => (await findWorkspace(ctx.db, workspaceId, 60))?.allowance;

  test('for a workspace can each be set to a number, none or the default without changing the others', async () => {
    await setWorkspaceLimits(ctx, operator, workspaceId, { monthly: 500, daily: null, rate: 5 });
    expect(await allowance()).toMatchObject({ monthly: 500, daily: null, ratePerMinute: 5 });
    await setWorkspaceLimits(ctx, operator, workspaceId, { daily: 'default', rate: 'default' });
    expect(await allowance()).toMatchObject({ monthly: 500, daily: 100, ratePerMinute: 60 });
  });

  test('for a plan apply to its workspaces, unless they have their own', async () => {
    await setPlanLimits(ctx, operator, 'free', { monthly: 1_000, daily: 10 });
    await setPlanLimits(ctx, operator, 'free', { daily: 20 });
    await setWorkspaceLimits(ctx, operator, workspaceId, { monthly: 2_000 });
    expect(await allowance()).toMatchObject({ monthly: 2_000, daily: 20 });
  });

  test('for the old plan no longer apply after a plan change, while those for the workspace remain', async () => {
    await setPlanLimits(ctx, operator, 'free', { daily: 10 });
    await setWorkspaceLimits(ctx, operator, workspaceId, { overage: 100 });
    await setPlan(ctx, operator, workspaceId, 'pro');
    expect(await allowance()).toMatchObject({ plan: { id: 'pro' }, monthly: 50_000, monthlyCap: 50_100, daily: null });
  });

  test('require an existing workspace', async () => {
    await expect(setWorkspaceLimits(ctx, operator, newId(), { monthly: 1 })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(setPlan(ctx, operator, 'x', 'pro')).rejects.toMatchObject({ code: 'not_found' });
  });
});
