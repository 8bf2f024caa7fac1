import { markDueEmails } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it marks the due emails of all workspaces' });
});

afterEach(() => closeTestContext(ctx));

/** Stores emails of one workspace that are due `inSeconds` from now. */
async function store({ workspaceId, count, inSeconds }: { workspaceId: string; count: number; inSeconds: number }) {
  await ctx.db.raw(
    `insert into deliveries (email_id, workspace_id, due_at, is_due)
     select gen_random_uuid(), ?, now() + ? * interval '1 second', false from generate_series(1, ?)`,
    [workspaceId, inSeconds, count],
  );
}

async function countDue(workspaceId: string): Promise<number> {
  return (await ctx.db('deliveries').where({ workspace_id: workspaceId, is_due: true })).length;
}

describe('markDueEmails', () => {
  test('marks the emails whose time has come, and no others', async () => {
    const [past, future] = [newId(), newId()];
    await store({ workspaceId: past, count: 3, inSeconds: -100 });
    await store({ workspaceId: past, count: 2, inSeconds: -1 });
    await store({ workspaceId: past, count: 1, inSeconds: 60 });
    await store({ workspaceId: future, count: 1, inSeconds: 60 });
    expect(await markDueEmails(ctx.db, 100)).toBe(5);
    expect([await countDue(past), await countDue(future)]).toEqual([5, 0]);
    expect(await markDueEmails(ctx.db, 100)).toBe(0);
  });

  test('marks no email before its time, even if others of the same ten-second span are due', async () => {
    const workspaceId = newId();
    await ctx.db.raw(
      `insert into deliveries (email_id, workspace_id, due_at, is_due)
       select gen_random_uuid(), ?, now() + n * interval '50 milliseconds', false from generate_series(1, 400) as n`,
      [workspaceId],
    );
    await markDueEmails(ctx.db, 1_000);
    const early = await ctx.db('deliveries').where('is_due', true).where('due_at', '>', ctx.db.raw('now()'));
    expect(early).toEqual([]);
  });

  test('gives equal shares to workspaces whose emails are due at the same time', async () => {
    const [many, few] = [newId(), newId()];
    await store({ workspaceId: many, count: 500, inSeconds: -3_600 });
    await store({ workspaceId: few, count: 2, inSeconds: -3_600 });
    expect(await markDueEmails(ctx.db, 20)).toBe(12);
    expect([await countDue(many), await countDue(few)]).toEqual([10, 2]);
  });
});
