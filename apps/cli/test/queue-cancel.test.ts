import { findEmail } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { acceptEmail } from './accept-email.js';
import { parseOutput, posthornFor, posthornProcessFor } from './posthorn.js';

let ctx: Context;
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'the command cancels the emails of all workspaces' });
});
afterEach(() => closeTestContext(ctx));

const posthorn = async (...args: string[]) => parseOutput(await posthornFor(ctx)(...args, '--json'));
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);

/** The sends that count toward the current day. */
async function readUsage(workspaceId: string): Promise<number | undefined> {
  const day = new Date().toISOString().slice(0, 10);
  const { used } = await ctx.db('usage').select('used').where({ workspace_id: workspaceId, period: day }).first();
  return used;
}

const read = async (workspaceId: string, id: string) => {
  const email = await findEmail(ctx.db, workspaceId, id, { withContent: false });
  return { status: email?.status, events: email?.events.map(({ type }) => type) };
};

test('cancel ends the emails that were to be sent before a time, refunds them, and writes events and the audit log', async () => {
  const { workspaceId, key } = await createTestWorkspace(ctx);
  const two = await acceptEmail(ctx, key, { to: ['a@example.com', 'b@example.com'] });
  const soon = await acceptEmail(ctx, key, { scheduledAt: inHours(1) });
  const later = await acceptEmail(ctx, key, { scheduledAt: inHours(3) });
  const result = await posthorn('queue', 'cancel', '--before', inHours(2).toISOString());
  expect(result).toEqual({ canceled: 2, refunded_sends: 3, left_sending: 0, left_ambiguous: 0 });
  expect(await read(workspaceId, two)).toEqual({ status: 'canceled', events: ['accepted', 'canceled'] });
  expect(await read(workspaceId, soon)).toEqual({ status: 'canceled', events: ['accepted', 'scheduled', 'canceled'] });
  expect((await read(workspaceId, later)).status).toBe('scheduled');
  expect(await readUsage(workspaceId)).toBe(1);
  expect(await ctx.db('audit_log').where({ action: 'workspace.emails_canceled' })).toMatchObject([
    { workspace_id: workspaceId, actor_type: 'operator', changes: { emails: { from: null, to: 2 } } },
  ]);
});

test('cancel leaves emails alone that a worker holds or that a mail server may have', async () => {
  const { key } = await createTestWorkspace(ctx);
  const [sending, ambiguous] = [await acceptEmail(ctx, key), await acceptEmail(ctx, key)];
  const at = new Date();
  await ctx.db('deliveries').where({ email_id: sending }).update({ lease_until: at, claimed_at: at });
  await ctx.db('deliveries').where({ email_id: ambiguous }).update({ ambiguous_attempts: 1 });
  const result = await posthorn('queue', 'cancel', '--before', inHours(1).toISOString());
  expect(result).toEqual({ canceled: 0, refunded_sends: 0, left_sending: 1, left_ambiguous: 1 });
  expect(await ctx.db('deliveries')).toHaveLength(2);
});

test('cancel ends a deferred email as sent if a recipient got it, and refunds only the others', async () => {
  const { workspaceId, key } = await createTestWorkspace(ctx);
  const id = await acceptEmail(ctx, key, { to: ['a@example.com', 'b@example.com'] });
  await ctx.db('emails').where({ id }).update({ status: 'deferred' });
  await ctx.db('email_recipients').where({ email_id: id, position: 0 }).update({ status: 'sent' });
  const result = await posthorn('queue', 'cancel', '--before', inHours(1).toISOString());
  expect(result).toMatchObject({ canceled: 1, refunded_sends: 1 });
  expect((await read(workspaceId, id)).status).toBe('sent');
  expect(await readUsage(workspaceId)).toBe(1);
});

test('cancel can be limited to one workspace, and includes parked emails', async () => {
  const [one, other] = [await createTestWorkspace(ctx), await createTestWorkspace(ctx)];
  await acceptEmail(ctx, one.key);
  const left = await acceptEmail(ctx, other.key);
  await posthorn('restore', 'prepare');
  const before = inHours(1).toISOString();
  const { stderr, stdout } = await posthornProcessFor(ctx)(
    'queue',
    'cancel',
    '--before',
    before,
    '--workspace',
    one.workspaceId,
  );
  expect([stderr, stdout]).toEqual(['canceled 1\n', expect.stringMatching(/^canceled +1\n/)]);
  expect(await ctx.db('deliveries').pluck('email_id')).toEqual([left]);
});

test('pause and resume say what is paused, and status lists it', async () => {
  const { workspaceId } = await createTestWorkspace(ctx);
  expect(await posthorn('queue', 'pause')).toEqual({ workspace_id: null, paused: true });
  await posthorn('queue', 'pause', '--workspace', workspaceId);
  expect((await posthorn('queue', 'status')).paused).toEqual([
    { workspace_id: null, since: expect.any(String) },
    { workspace_id: workspaceId, since: expect.any(String) },
  ]);
  expect((await posthorn('top', '--once')).paused).toBe(`the whole service, ${workspaceId}`);
  await posthorn('queue', 'resume', '--workspace', workspaceId);
  expect(await posthorn('queue', 'resume', '--workspace', workspaceId)).toEqual({
    workspace_id: workspaceId,
    paused: true,
  });
  await posthorn('queue', 'pause', '--workspace', workspaceId);
  expect(await posthorn('queue', 'resume')).toEqual({ workspace_id: null, paused: false });
  expect((await posthorn('queue', 'status')).paused).toMatchObject([{ workspace_id: workspaceId }]);
});
