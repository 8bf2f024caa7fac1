import { fanOutEvents } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { readWebhookLag } from '../../src/webhooks/webhook-state-store.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { openWorkspace } from '../accepting/commit-requests.js';
import { insertTestEvent } from '../events/insert-test-event.js';
import { addWebhook } from './add-webhook.js';

let ctx: Context;
let workspace: Workspace;
let webhookId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it measures how late the webhooks of all workspaces are' });
  workspace = await openWorkspace(ctx);
  webhookId = (await addWebhook(ctx, workspace.id)).id;
  await ctx.db('webhook_states').update({ is_confirmed: true });
  expect(await readWebhookLag(ctx.db)).toBe(0);
});

afterEach(() => closeTestContext(ctx));

/** Stores an event that was written ten minutes ago. */
const storeOldEvent = () => insertTestEvent(ctx.db, workspace.id, { at: new Date(Date.now() - 600_000) });

test('the lag is the age of the oldest event that the fan-out or a webhook has not got', async () => {
  await storeOldEvent();
  expect(await readWebhookLag(ctx.db)).toBeGreaterThanOrEqual(600);
  await fanOutEvents(ctx.db, 100);
  expect(await readWebhookLag(ctx.db)).toBeGreaterThanOrEqual(600);
});

test.each([
  ['paused because of its receiver', { paused_until: '2100-01-01' }],
  ['not confirmed yet', { is_confirmed: false }],
])('a webhook that is %s has no lag', async (_, state) => {
  await storeOldEvent();
  await fanOutEvents(ctx.db, 100);
  await ctx.db('webhook_states').where({ webhook_id: webhookId }).update(state);
  expect(await readWebhookLag(ctx.db)).toBe(0);
});

test('an event of another type does not count', async () => {
  await ctx
    .db('webhooks')
    .where({ id: webhookId })
    .update({ events: ['email.bounced'] });
  await storeOldEvent();
  await fanOutEvents(ctx.db, 100);
  await ctx
    .db('webhook_states')
    .where({ webhook_id: webhookId })
    .update({ due_at: new Date(0) });
  expect(await readWebhookLag(ctx.db)).toBe(0);
});
