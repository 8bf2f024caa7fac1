import { type Context, readBacklog } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

type Stored = { workspaceId: string; count?: number; status?: string; dueSecondsAgo: number };

async function store({ workspaceId, count = 1, status = 'queued', dueSecondsAgo }: Stored): Promise<void> {
  await ctx.db.raw(
    `insert into emails (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, due_at)
     select gen_random_uuid(), ?, ?, 'a@example.com', 'a@example.com', 'Hi', '{}', 1, now(), '2026-03-01',
       now() - ? * interval '1 second'
     from generate_series(1, ?)`,
    [workspaceId, status, dueSecondsAgo, count],
  );
}

/** Creates workspaces. @returns their ids in the order of the index */
async function openWorkspaces(count: number): Promise<string[]> {
  const workspaces = await Promise.all(Array.from({ length: count }, () => createTestWorkspace(ctx)));
  return workspaces.map(({ workspaceId }) => workspaceId).sort();
}

describe('the backlog', () => {
  test('is empty if no email is waiting or no waiting email is due', async () => {
    expect(await readBacklog(ctx.db)).toEqual({ waiting: 0, oldestDueSeconds: 0 });
    const [workspaceId] = (await openWorkspaces(1)) as [string];
    await store({ workspaceId, status: 'scheduled', dueSecondsAgo: -3_600 });
    await store({ workspaceId, status: 'sent', dueSecondsAgo: 3_600 });
    expect(await readBacklog(ctx.db)).toEqual({ waiting: 0, oldestDueSeconds: 0 });
  });

  test('reports the oldest due email across all workspaces', async () => {
    const [first, second, third] = (await openWorkspaces(3)) as [string, string, string];
    await store({ workspaceId: first, status: 'scheduled', dueSecondsAgo: -3_600 });
    await store({ workspaceId: second, dueSecondsAgo: 100 });
    await store({ workspaceId: second, status: 'deferred', dueSecondsAgo: 7_200 });
    await store({ workspaceId: third, dueSecondsAgo: 600 });
    const { waiting, oldestDueSeconds } = await readBacklog(ctx.db);
    expect(waiting).toBe(3);
    expect(oldestDueSeconds).toBeGreaterThanOrEqual(7_200);
  });

  test('reports the oldest due email even when there are more emails than it counts', async () => {
    const [first, last] = (await openWorkspaces(2)) as [string, string];
    await store({ workspaceId: first, count: 10_001, dueSecondsAgo: 10 });
    await store({ workspaceId: last, dueSecondsAgo: 7_200 });
    const { waiting, oldestDueSeconds } = await readBacklog(ctx.db);
    expect(waiting).toBe(10_000);
    expect(oldestDueSeconds).toBeGreaterThanOrEqual(7_200);
  });
});
