import { selectDueEmails, selectLateEmails } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { commitOptimistically } from '../../src/accepting/commit-transaction.js';
import { buildCommitRequest, openWorkspace } from '../accepting/commit-requests.js';

const LEASE_SECONDS = 60;

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it claims the late emails of all workspaces' });
});

afterEach(() => closeTestContext(ctx));

type Waiting = { workspaceId?: string; priority?: number; dueHoursAgo?: number; hoursLeft?: number; isDue?: boolean };

/** @param waiting.hoursLeft for how many more hours the email may be sent; if omitted, the email was never tried */
async function store({
  workspaceId = newId(),
  priority = 1,
  dueHoursAgo = 0,
  hoursLeft,
  isDue = true,
}: Waiting): Promise<string> {
  const id = newId();
  await ctx.db.raw(
    `insert into deliveries (email_id, workspace_id, priority, is_due, due_at, send_before)
     values (?, ?, ?, ?, now() - ? * interval '1 hour', now() + ?::float * interval '1 hour')`,
    [id, workspaceId, priority, isDue, dueHoursAgo, hoursLeft ?? null],
  );
  return id;
}

describe('late emails', () => {
  test('are the due emails that may no longer be sent', async () => {
    const late = [await store({ hoursLeft: -2 }), await store({ hoursLeft: -1, dueHoursAgo: 5 })];
    await store({ hoursLeft: 1, dueHoursAgo: 80 });
    await store({ hoursLeft: -1, isDue: false });
    await store({ dueHoursAgo: 80 });
    expect(await selectLateEmails(ctx.db, 'past_send_before', 10, 60).find()).toEqual(late);
    expect(await selectLateEmails(ctx.db, 'past_send_before', 1, 60).find()).toEqual([late[0]]);
  });

  test('include emails of any workspace and priority that have been due for 72 hours without an attempt', async () => {
    const workspaceId = newId();
    const late = [];
    for (const priority of [0, 2]) {
      late.push(await store({ workspaceId, priority, dueHoursAgo: 73 }));
      await store({ workspaceId, priority, dueHoursAgo: 71 });
    }
    await store({ workspaceId, priority: 1, dueHoursAgo: 71 });
    late.push(await store({ priority: 2, dueHoursAgo: 80 }));
    expect((await selectLateEmails(ctx.db, 'never_tried', 10, 60).find()).sort()).toEqual(late.sort());
    expect(await selectLateEmails(ctx.db, 'past_send_before', 10, 60).find()).toEqual([]);
  });

  test('are claimed like other emails, but never to probe a relay', async () => {
    const workspace = await openWorkspace(ctx);
    const [late, live] = [buildCommitRequest(workspace), buildCommitRequest(workspace)];
    const expiresAt = new Date(Date.now() - 1_000);
    const [email] = late.emails;
    const expiring = { ...email, request: { ...email.request, expiresAt } };
    await commitOptimistically(ctx.db, [{ ...late, emails: [expiring] }, live]);
    await ctx.db('deliveries').where({ email_id: live.emails[0].id }).update({ priority: 2 });
    const due = { limit: 1, holders: [], onlyOthers: false, isProbe: true };
    expect(await selectDueEmails(ctx.db, due, LEASE_SECONDS).claimMany()).toMatchObject([{ id: live.emails[0].id }]);
    expect(await selectDueEmails(ctx.db, due, LEASE_SECONDS).claimMany()).toEqual([]);
    expect(await selectLateEmails(ctx.db, 'past_send_before', 10, LEASE_SECONDS).claimMany()).toMatchObject([
      { id: late.emails[0].id, attempt: 1, reclaimed: null, expiresAt },
    ]);
  });
});
