import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { createWebhook, replayEvents, sendTestEvent, updateWebhook, type Webhook } from '@posthorn/domain/webhooks';
import { type DnsServer, startDnsServer, until } from '@posthorn/testing';
import { createWebhookSecret } from '@posthorn/webhooks';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';
import { openReceiverServer, type ReceiverServer } from './open-receiver-server.js';

let t: TestWorker;
let dns: DnsServer;
const servers: ReceiverServer[] = [];

beforeEach(async () => {
  dns = await startDnsServer();
  t = await openTestWorker({
    config: {
      workerRoles: ['deliver', 'webhooks'],
      webhookAllowedNetworks: ['127.0.0.1/32'],
      dnsServers: [dns.address],
    },
  });
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await t.close();
  await dns.close();
});

/** Longer than it takes to send what may be sent. */
const QUIET_MS = 1_500;

/** A receiver that answers when told to. */
async function openHangingServer() {
  const waiting: ServerResponse[] = [];
  const server = await openReceiverServer((_request, response) => void waiting.push(response));
  servers.push(server);
  return { ...server, waiting };
}

async function openServer(...options: Parameters<typeof openReceiverServer>): Promise<ReceiverServer> {
  const server = await openReceiverServer(...options);
  servers.push(server);
  return server;
}

const inWorkspace = (id = t.workspaceId) => ({ id, liveId: id });

async function addWebhook(url: string, workspaceId = t.workspaceId): Promise<Webhook> {
  const settings = {
    ...{ url, description: '', events: ['email.accepted' as const], domainIds: null, tags: null },
    status: 'enabled' as const,
  };
  return createWebhook(t.ctx, operator, inWorkspace(workspaceId), { settings, secret: createWebhookSecret() });
}

async function acceptMany(count: number): Promise<void> {
  for (let accepted = 0; accepted < count; accepted += 1) await t.accept();
}

test('until its receiver has accepted a request, a webhook gets five a minute, one after another', async () => {
  const server = await openServer((_request, response) => void response.writeHead(500).end());
  const webhook = await addWebhook(server.url);
  await acceptMany(20);
  await server.untilReceived(5);
  // What ends a pause does not end this.
  await sendTestEvent(t.ctx, t.workspaceId, webhook.id);
  await replayEvents(t.ctx, t.workspaceId, { webhookId: webhook.id, replay: { failed: true } });
  await sleep(QUIET_MS);
  expect(server.requests).toHaveLength(5);
});

test('the first request that is accepted is made alone, and then everything is sent', async () => {
  const server = await openHangingServer();
  await addWebhook(server.url);
  await acceptMany(20);
  await server.untilReceived(1);
  await sleep(QUIET_MS);
  expect(server.waiting).toHaveLength(1);
  server.waiting[0]?.end();
  await until(() => {
    for (const response of server.waiting) if (!response.writableEnded) response.end();
    return server.requests.length === 20;
  });
});

test('a new URL starts over', async () => {
  const [first, second] = [await openServer(), await openHangingServer()];
  const webhook = await addWebhook(first.url);
  await acceptMany(2);
  await first.untilReceived(2);
  await updateWebhook(t.ctx, operator, inWorkspace(), { id: webhook.id, changes: { url: second.url } });
  await acceptMany(5);
  await second.untilReceived(1);
  await sleep(QUIET_MS);
  expect(second.waiting).toHaveLength(1);
});

test('a receiver that never answers gets two requests at once, from however many webhooks, names and workspaces', async () => {
  const server = await openHangingServer();
  const { port } = new URL(server.url);
  const other = await t.otherWorkspace();
  for (let count = 0; count < 5; count += 1) {
    dns.addresses(`hooks${count}.example`, '127.0.0.1');
    await addWebhook(`http://hooks${count}.example:${port}/`);
    await addWebhook(`http://hooks${count}.example:${port}/`, other.workspaceId);
  }
  await acceptMany(3);
  await other.accept();
  await server.untilReceived(2);
  await sleep(QUIET_MS);
  expect(server.requests).toHaveLength(2);
});

test('all webhooks of a workspace together make at most 32 requests to a host at once, replays included', async () => {
  const server = await openHangingServer();
  const sizes: number[] = [];
  // Answers to all that have arrived in the meantime.
  const answering = setInterval(() => {
    const answered = server.waiting.splice(0);
    sizes.push(answered.length);
    for (const response of answered) response.end();
  }, 200);
  await acceptMany(40);
  const from = new Date(Date.now() - 60_000);
  const webhooks = [];
  for (let count = 0; count < 5; count += 1) webhooks.push(await addWebhook(server.url));
  const replay = { from, to: new Date(Date.now() + 60_000) };
  await Promise.all(webhooks.map(({ id }) => replayEvents(t.ctx, t.workspaceId, { webhookId: id, replay })));
  await server.untilReceived(200);
  clearInterval(answering);
  expect(Math.max(...sizes)).toBeGreaterThan(16);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(32);
});
