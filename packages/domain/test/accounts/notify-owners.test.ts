import { type AcceptContext, openAcceptContext } from '@posthorn/domain/accepting';
import { type Notice, notifyOwners } from '@posthorn/domain/accounts';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext, type TestWorkspace } from '@posthorn/testing';

let ctx: Context;
let processes: AcceptContext[];
let owner: TestWorkspace;

beforeAll(async () => {
  ctx = await openTestContext();
  processes = [openAcceptContext(ctx), openAcceptContext(ctx), openAcceptContext(ctx)];
});
beforeEach(async () => {
  owner = await createTestWorkspace(ctx);
});
afterAll(async () => {
  for (const accepting of processes) await accepting.close();
  await closeTestContext(ctx);
});

const mail = { subject: 'A notice', text: 'x', html: 'x' };

/** A notice about a webhook of its own. */
const toNotice = (changes: Partial<Notice> = {}): Notice => ({
  noticeId: newId(),
  kind: 'webhook_disabled',
  workspaceId: owner.workspaceId,
  objectId: newId(),
  mail,
  ...changes,
});

const notify = (notice: Notice) => notifyOwners(processes[0] as AcceptContext, notice);

/** All processes send all notices at the same time, each one after another. */
async function notifyTogether(notices: readonly Notice[]): Promise<void> {
  await Promise.all(
    processes.map(async (accepting) => {
      for (const notice of notices) await notifyOwners(accepting, notice);
    }),
  );
}

async function countMails(): Promise<number> {
  return (await ctx.db('emails').whereRaw('? = any("to")', [owner.email])).length;
}

/** Adds another workspace of the owner. @returns its id */
async function addWorkspace(): Promise<string> {
  const { workspaceId } = await createTestWorkspace(ctx);
  const { id } = await ctx.db('users').where({ email: owner.email }).first('id');
  await ctx.db('memberships').insert({ workspace_id: workspaceId, user_id: id, role: 'owner' });
  return workspaceId;
}

test('several notices of a day about one object are one email, however many processes send them', async () => {
  const objectId = newId();
  await notifyTogether([toNotice({ objectId }), toNotice({ objectId }), toNotice({ objectId })]);
  expect(await countMails()).toBe(1);
});

test('a notice whose email was not accepted is tried again', async () => {
  const notice = toNotice();
  const broken = {
    ...(processes[0] as AcceptContext),
    commitEmails: () => Promise.reject(new Error('Postgres is down')),
  };
  await expect(notifyOwners(broken, notice)).rejects.toThrow('Postgres is down');
  await notify(toNotice({ objectId: notice.objectId }));
  expect(await countMails()).toBe(0);
  await notify(notice);
  await notify(notice);
  expect(await countMails()).toBe(1);
});

test('many webhooks of a workspace cause few emails, and do not hide that it is paused', async () => {
  await notifyTogether(Array.from({ length: 8 }, () => toNotice()));
  expect(await countMails()).toBe(limits.noticesOfKind.max);
  await notify(toNotice({ kind: 'workspace_paused', objectId: owner.workspaceId }));
  expect(await countMails()).toBe(limits.noticesOfKind.max + 1);
});

test('all workspaces together cause no more emails to an owner than the total allows', async () => {
  const workspaceIds = [owner.workspaceId];
  for (let added = 0; added < 5; added += 1) workspaceIds.push(await addWorkspace());
  const notices = workspaceIds.flatMap((workspaceId) =>
    Array.from({ length: limits.noticesOfKind.max }, () => toNotice({ workspaceId })),
  );
  await notifyTogether(notices);
  expect(await countMails()).toBe(limits.notices.max);
  await ctx.db('notices').update({ day: ctx.db.raw('day - 2') });
  await notify(toNotice());
  expect(await countMails()).toBe(limits.notices.max + 1);
  expect(await ctx.db('notices').where({ workspace_id: owner.workspaceId })).toHaveLength(1);
});
