import { operator } from '@posthorn/domain/audit-log';
import { insertMissedThresholds, setPlan, setPlanLimits, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId, toFirstId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { commitOptimistically } from '../../src/accepting/commit-transaction.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { buildCommitRequest, openWorkspace, withCaps } from '../accepting/commit-requests.js';

let ctx: Context;
let workspace: Workspace;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it changes the limits of a plan for all workspaces' });
  workspace = withCaps(await openWorkspace(ctx), { monthly: 3_000, daily: 100 });
  await setPlan(ctx, operator, workspace.id, 'free');
});

afterEach(() => closeTestContext(ctx));

const send = async (sends: number, by = workspace) => {
  expect(await commitOptimistically(ctx.db, [buildCommitRequest(by, { sends, at: new Date() })])).toBe(true);
};

/** The workspaces and percentages of the events so far. */
async function reached(): Promise<string[]> {
  const rows = await ctx.db('events').where({ type: 'usage.threshold' });
  return rows
    .map(
      ({ workspace_id, data }) =>
        `${workspace_id === workspace.id ? 'this' : 'other'} ${data.percent} of ${data.limit}`,
    )
    .sort();
}

test('lower limits of a plan are reached at once by its workspaces, unless they have their own', async () => {
  const other = withCaps(await openWorkspace(ctx), { monthly: 3_000, daily: 100 });
  const pro = withCaps(await openWorkspace(ctx), { monthly: 3_000, daily: 100 });
  await setPlan(ctx, operator, pro.id, 'pro');
  await setPlan(ctx, operator, other.id, 'free');
  await setWorkspaceLimits(ctx, operator, other.id, { daily: 50 });
  for (const each of [workspace, other, pro]) await send(18, each);
  await setPlanLimits(ctx, operator, 'free', { daily: 20 });
  expect(await reached()).toEqual(['this 80 of 20']);
  await setPlanLimits(ctx, operator, 'free', { daily: 15, monthly: 18 });
  expect(await reached()).toEqual([
    'other 100 of 18',
    'other 80 of 18',
    'this 100 of 15',
    'this 100 of 18',
    'this 80 of 18',
    'this 80 of 20',
  ]);
});

describe('a threshold that is passed while a process still uses the old limits', () => {
  const changes: ReadonlyArray<[string, () => Promise<unknown>]> = [
    ['of the plan', () => setPlanLimits(ctx, operator, 'free', { daily: 10 })],
    ['of the workspace', () => setWorkspaceLimits(ctx, operator, workspace.id, { daily: 10 })],
    [
      'of its old plan',
      async () => {
        await setPlanLimits(ctx, operator, 'pro', { daily: 10 });
        await setPlan(ctx, operator, workspace.id, 'pro');
      },
    ],
  ];

  test.each(changes)('is found afterwards, once: %s', async (_, change) => {
    await send(1);
    await change();
    await send(8);
    await send(1, withCaps(workspace, { daily: 10 }));
    const found = ['this 80 of 10', 'this 100 of 10'].sort();
    expect(await reached()).toEqual(['this 100 of 10']);
    await Promise.all([1, 2, 3].map(() => insertMissedThresholds(ctx, new Date())));
    expect(await reached()).toEqual(found);
    await insertMissedThresholds(ctx, new Date());
    expect(await reached()).toEqual(found);
  });
});

test('only limits that were changed recently are looked at', async () => {
  await setWorkspaceLimits(ctx, operator, workspace.id, { daily: 10 });
  await send(8);
  const hourAgo = toFirstId(Date.now() - 3_600_000).slice(0, 15) + newId().slice(15);
  await ctx.db('audit_log').where({ action: 'workspace.limits_changed' }).update({ id: hourAgo });
  await ctx.db('audit_log').where({ action: 'workspace.plan_changed' }).delete();
  await insertMissedThresholds(ctx, new Date());
  expect(await reached()).toEqual([]);
});
