import type { ServerResponse } from 'node:http';
import { operator } from '@posthorn/domain/audit-log';
import { createWebhook } from '@posthorn/domain/webhooks';
import { createTestWorkspace, until } from '@posthorn/testing';
import { createWebhookSecret } from '@posthorn/webhooks';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';
import { openReceiverServer, type ReceiverServer } from './open-receiver-server.js';

let t: TestWorker;
const servers: ReceiverServer[] = [];

beforeEach(async () => {
  t = await openTestWorker({
    config: { workerRoles: ['deliver', 'webhooks'], webhookAllowedNetworks: ['127.0.0.1/32'] },
  });
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await t.close();
});

async function openServer(...options: Parameters<typeof openReceiverServer>): Promise<ReceiverServer> {
  const server = await openReceiverServer(...options);
  servers.push(server);
  return server;
}

async function addWebhook(url: string, workspaceId: string): Promise<void> {
  const settings = {
    ...{ url, description: '', events: ['email.accepted' as const], domainIds: null, tags: null },
    status: 'enabled' as const,
  };
  const workspace = { id: workspaceId, liveId: workspaceId };
  await createWebhook(t.ctx, operator, workspace, { settings, secret: createWebhookSecret() });
}

/** Opens workspaces with an event for a receiver of their own that never answers. @returns how many requests wait */
async function openSlowTenants(count: number, { areConfirmed }: { areConfirmed: boolean }): Promise<() => number> {
  const waiting: ServerResponse[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const { workspaceId } = await createTestWorkspace(t.ctx, { planId: 'free' });
    const server = await openServer((_request, response) => void waiting.push(response));
    await addWebhook(server.url, workspaceId);
  }
  if (areConfirmed) await t.ctx.db('webhook_states').update({ is_confirmed: true });
  await t.ctx.db.raw(
    `insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
     select gen_random_uuid(), gen_random_uuid(), 1, workspace_id, 'email.accepted', null, null, now() from webhooks
     where workspace_id <> ?`,
    [t.workspaceId],
  );
  return () => waiting.filter(({ destroyed }) => !destroyed).length;
}

/** Whether a slow receiver has had its time, so that its lease has ended. */
async function hasLeaseEnded(): Promise<boolean> {
  return (await t.ctx.db('webhook_deliveries').whereNot({ workspace_id: t.workspaceId })).length > 0;
}

test.each([
  ['that worked until now', true],
  ['that are new', false],
])(
  '70 workspaces whose receivers hang do not keep the event of another one waiting: receivers %s',
  async (_, areConfirmed) => {
    const live = await openServer();
    await addWebhook(live.url, t.workspaceId);
    await t.accept();
    await live.untilReceived(1);
    const countWaiting = await openSlowTenants(70, { areConfirmed });
    await until(() => countWaiting() >= (areConfirmed ? 50 : 12));

    await t.accept();
    await live.untilReceived(2);
    expect(await hasLeaseEnded()).toBe(false);
  },
);

test('receivers that were slow before share a quarter of the slots', async () => {
  await t.ctx.db.raw("alter table webhook_states alter column slow_until set default 'infinity'");
  const countWaiting = await openSlowTenants(30, { areConfirmed: true });
  await until(() => countWaiting() >= 12);
  const live = await openServer();
  await addWebhook(live.url, t.workspaceId);
  await t.ctx.db('webhook_states').where({ due_at: null }).update({ slow_until: null });
  await t.accept();
  await live.untilReceived(1);
  expect(countWaiting()).toBe(12);
  expect(await hasLeaseEnded()).toBe(false);
});

test('a receiver whose answer took long counts as slow, and one that is quick does not', async () => {
  const slow = await openServer((_request, response) => void setTimeout(() => response.end(), 1_500));
  const quick = await openServer();
  await addWebhook(slow.url, t.workspaceId);
  await addWebhook(quick.url, t.workspaceId);
  await t.accept();
  const listStates = () =>
    t.ctx
      .db('webhooks')
      .join('webhook_states', 'webhook_id', 'webhooks.id')
      .select('url', 'slow_until', 'is_confirmed');
  await until(async () => (await listStates()).every((state) => state.is_confirmed));
  const slowUrls = (await listStates()).filter(({ slow_until }) => slow_until !== null).map(({ url }) => url);
  expect(slowUrls).toEqual([slow.url]);
});
