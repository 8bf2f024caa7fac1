import type { LimitChange, PlanId } from '@posthorn/domain/plans';
import { findWorkspace, reportUsage, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

describe('reportUsage', () => {
  const now = new Date('2026-03-02T23:59:59.999Z');
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext({ now: () => now });
  });
  afterAll(() => closeTestContext(ctx));

  async function report(planId: PlanId, used: Record<string, number>, limits: LimitChange = {}) {
    const { workspaceId } = await createTestWorkspace(ctx, { planId });
    const rows = Object.entries(used).map(([period, sends]) => ({ workspace_id: workspaceId, period, used: sends }));
    if (rows.length > 0) await ctx.db('usage').insert(rows);
    await setWorkspaceLimits(ctx, operator, workspaceId, limits);
    const workspace = await findWorkspace(ctx.db, workspaceId, 60);
    if (!workspace) throw new Error('The workspace was not found');
    return reportUsage(ctx, workspace);
  }

  test('counts only the current UTC month and day', async () => {
    const { usedOfMonth, usedOfDay } = await report('free', {
      '2026-03': 7,
      '2026-03-02': 3,
      '2026-03-01': 4,
      '2026-02': 90,
      '2026-03-03': 5,
    });
    expect({ usedOfMonth, usedOfDay }).toEqual({ usedOfMonth: 7, usedOfDay: 3 });
  });

  test('lists the last 31 days, oldest first, across month boundaries and without gaps', async () => {
    const { history } = await report('free', { '2026-03-02': 3, '2026-02-28': 2, '2026-01-31': 1, '2026-01-30': 9 });
    expect(history).toHaveLength(31);
    expect(history[0]).toEqual({ day: '2026-01-31', sends: 1 });
    expect(history.at(-3)).toEqual({ day: '2026-02-28', sends: 2 });
    expect(history.at(-2)).toEqual({ day: '2026-03-01', sends: 0 });
    expect(history.at(-1)).toEqual({ day: '2026-03-02', sends: 3 });
  });

  test.each([
    [50_000, 0, 0],
    [50_004, 4, 0],
    [50_005, 5, 1],
    [50_014, 14, 1],
    [50_015, 15, 2],
    [51_000, 1_000, 100],
    [1_234_567, 1_184_567, 118_457],
  ])('on Pro, %i sends result in an overage of %i, which costs %i cents', async (used, sends, amountCents) => {
    expect((await report('pro', { '2026-03': used })).overage).toEqual({
      allowed: true,
      per: 1_000,
      priceUsd: 1,
      sends,
      amountCents,
    });
  });

  test('on Free, there is no overage, even if more emails were sent before a downgrade', async () => {
    expect((await report('free', { '2026-03': 60_000 })).overage).toMatchObject({
      allowed: false,
      sends: 0,
      amountCents: 0,
    });
  });

  test.each<[string, LimitChange, object]>([
    [
      'overage starts earlier with a lower monthly override',
      { monthly: 100 },
      { allowed: true, sends: 900, amountCents: 90 },
    ],
    ['an overage cap of 0 does not allow overage', { overage: 0 }, { allowed: false, sends: 0 }],
    ['an overage cap above 0 allows overage', { overage: 10 }, { allowed: true, sends: 0 }],
    ['there is no overage without a monthly limit', { monthly: null }, { allowed: false, sends: 0, amountCents: 0 }],
  ])('%s', async (_title, limits, expected) => {
    expect((await report('pro', { '2026-03': 1_000 }, limits)).overage).toMatchObject(expected);
  });
});
