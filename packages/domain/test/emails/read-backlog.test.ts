import { readBacklog } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'the backlog counts the emails of all workspaces' });
});

afterEach(() => closeTestContext(ctx));

type Stored = {
  workspaceId: string;
  count?: number;
  isDue?: boolean;
  attempt?: number;
  isLeased?: boolean;
  dueSecondsAgo: number;
};

/** @param stored.isDue whether a sweep has marked the emails as due */
async function store({
  workspaceId,
  count = 1,
  isDue = true,
  attempt = 0,
  isLeased = false,
  dueSecondsAgo,
}: Stored): Promise<void> {
  await ctx.db.raw(
    `insert into deliveries (email_id, workspace_id, due_at, is_due, attempt, lease_until, claimed_at)
     select gen_random_uuid(), ?, now() - ? * interval '1 second', ?, ?, case when ? then now() end, case when ? then now() end
     from generate_series(1, ?)`,
    [workspaceId, dueSecondsAgo, isDue, attempt, isLeased, isLeased, count],
  );
}

/** Creates workspaces. @returns their ids in index order */
async function openWorkspaces(count: number): Promise<string[]> {
  const workspaces = await Promise.all(Array.from({ length: count }, () => createTestWorkspace(ctx)));
  return workspaces.map(({ workspaceId }) => workspaceId).sort();
}

const NONE = { queued: 0, scheduled: 0, deferred: 0, sending: 0, parked: 0 };

describe('the backlog', () => {
  test('has no due email if no emails are waiting or all of them are due later', async () => {
    expect(await readBacklog(ctx.db)).toEqual({ oldestDueSeconds: 0, emails: NONE });
    const [workspaceId] = (await openWorkspaces(1)) as [string];
    await store({ workspaceId, isDue: false, dueSecondsAgo: -3_600 });
    expect(await readBacklog(ctx.db)).toEqual({ oldestDueSeconds: 0, emails: { ...NONE, scheduled: 1 } });
  });

  test('reports the oldest due email and the number of emails by status across all workspaces', async () => {
    const [first, second, third] = (await openWorkspaces(3)) as [string, string, string];
    await store({ workspaceId: first, isDue: false, dueSecondsAgo: -3_600 });
    await store({ workspaceId: second, dueSecondsAgo: 100 });
    await store({ workspaceId: second, isDue: false, attempt: 1, dueSecondsAgo: 7_200 });
    await store({ workspaceId: third, dueSecondsAgo: 600 });
    await store({ workspaceId: third, attempt: 1, isLeased: true, dueSecondsAgo: 600 });
    const { emails, oldestDueSeconds } = await readBacklog(ctx.db);
    expect(emails).toEqual({ ...NONE, queued: 2, scheduled: 1, deferred: 1, sending: 1 });
    expect(oldestDueSeconds).toBeGreaterThanOrEqual(7_200);
  });

  test('counts parked emails only as parked, and does not wait for them', async () => {
    const [workspaceId] = (await openWorkspaces(1)) as [string];
    await store({ workspaceId, count: 2, dueSecondsAgo: 600 });
    await store({ workspaceId, attempt: 1, isLeased: true, dueSecondsAgo: 600 });
    await ctx.db('deliveries').update({ is_due: null });
    expect(await readBacklog(ctx.db)).toEqual({ oldestDueSeconds: 0, emails: { ...NONE, parked: 3 } });
  });

  test('reports the oldest due email even when there are more emails than it counts', async () => {
    const [first, last] = (await openWorkspaces(2)) as [string, string];
    await store({ workspaceId: first, count: 10_001, dueSecondsAgo: 10 });
    await store({ workspaceId: last, dueSecondsAgo: 7_200 });
    const { emails, oldestDueSeconds } = await readBacklog(ctx.db);
    expect(emails).toEqual({ ...NONE, queued: 10_000 });
    expect(oldestDueSeconds).toBeGreaterThanOrEqual(7_200);
  });
});
