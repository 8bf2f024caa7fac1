import type { ServerResponse } from 'node:http';
import { eventTypes } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import {
  createWebhook,
  findWebhook,
  listDeliveries,
  readWebhookHealth,
  replayEvents,
  sendTestEvent,
  updateWebhook,
  type WebhookSettings,
} from '@posthorn/domain/webhooks';
import { until } from '@posthorn/testing';
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
  await t.close();
  for (const server of servers.splice(0)) await server.close();
});

async function openServer(...options: Parameters<typeof openReceiverServer>): Promise<ReceiverServer> {
  const server = await openReceiverServer(...options);
  servers.push(server);
  return server;
}

async function addWebhook(url: string, changes: Partial<WebhookSettings> = {}, workspaceId = t.workspaceId) {
  const settings: WebhookSettings = {
    url,
    description: '',
    events: eventTypes.filter((type) => type !== 'webhook.test'),
    domainIds: null,
    tags: null,
    status: 'enabled',
    ...changes,
  };
  return createWebhook(
    t.ctx,
    operator,
    { id: workspaceId, liveId: workspaceId },
    { settings, secret: createWebhookSecret() },
  );
}

const readDeliveries = async (webhookId: string) =>
  (await listDeliveries(t.ctx.db, { webhookId, mode: 'live', status: null }, { limit: 100, after: null, before: null }))
    .rows;

/** Lets the webhook deliver its first event, so that it may have more than a few requests. */
async function untilConfirmed(id: string): Promise<void> {
  await t.accept();
  await until(async () => (await t.ctx.db('webhook_states').where({ webhook_id: id }).first()).is_confirmed);
}

const listTypes = (requests: ReadonlyArray<{ type: string }>) => requests.map(({ type }) => type).sort();

test('every event of an email is posted, with its id and sequence and none of its content', async () => {
  const server = await openServer();
  const webhook = await addWebhook(server.url);
  const id = await t.accept({ to: ['jane@example.com'] });
  const requests = await server.untilReceived(2);
  expect(listTypes(requests)).toEqual(['email.accepted', 'email.sent']);
  const email = await t.until(id, 'sent');
  for (const { headers, body, data, type } of requests) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    const event = email.events.find((each) => each.id === headers['webhook-id']);
    expect(`email.${event?.type}`).toBe(type);
    expect(data).toMatchObject({ email_id: id, sequence: event?.sequence, mode: 'live' });
    expect(body).not.toContain('Hello');
  }
  await until(async () => (await readDeliveries(webhook.id)).every(({ status }) => status === 'delivered'));
  const [newest] = await readDeliveries(webhook.id);
  expect(newest).toMatchObject({ dueAt: null, attempts: [{ status: 200, body: 'ok', error: null }] });
});

test('each webhook gets only the events it wants, of its own workspace', async () => {
  const [all, bounces, tagged, others] = [
    await openServer(),
    await openServer(),
    await openServer(),
    await openServer(),
  ];
  const other = await t.otherWorkspace();
  await addWebhook(all.url);
  await addWebhook(bounces.url, { events: ['email.bounced'] });
  await addWebhook(tagged.url, { events: ['email.accepted'], tags: ['kind:receipt', 'kind:invoice'] });
  await addWebhook(others.url, {}, other.workspaceId);
  await t.accept();
  await t.accept({ tags: [{ name: 'kind', value: 'invoice' }] });
  await other.accept();
  await all.untilReceived(4);
  await others.untilReceived(2);
  await tagged.untilReceived(1);
  expect([all, bounces, tagged, others].map(({ requests }) => requests.length)).toEqual([4, 0, 1, 2]);
});

test('a failed request is repeated with the same id and body', async () => {
  let failures = 1;
  const server = await openServer((_request, response) => {
    response.statusCode = failures > 0 ? 500 : 204;
    failures -= 1;
    response.end('sorry');
  });
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await t.accept();
  await server.untilReceived(1);
  await until(async () => (await readDeliveries(webhook.id))[0]?.attempts.length === 1);
  const [waiting] = await readDeliveries(webhook.id);
  expect(waiting).toMatchObject({ status: 'pending', attempts: [{ status: 500, body: 'sorry' }] });
  const inMs = (waiting?.dueAt?.getTime() ?? 0) - Date.now();
  expect(inMs).toBeGreaterThan(1_000);
  expect(inMs).toBeLessThan(6_000);
  expect(await replayEvents(t.ctx, t.workspaceId, { webhookId: webhook.id, replay: { failed: true } })).toBe(1);
  const [first, second] = await server.untilReceived(2);
  expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
  await until(async () => (await readDeliveries(webhook.id))[0]?.status === 'delivered');
});

test('410 disables the webhook, its owner gets a mail, and the event is sent when it is enabled again', async () => {
  let isGone = true;
  const server = await openServer((_request, response) => void response.writeHead(isGone ? 410 : 200).end());
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await t.accept();
  await until(async () => (await findWebhook(t.ctx.db, t.workspaceId, webhook.id))?.status === 'disabled');
  expect(await findWebhook(t.ctx.db, t.workspaceId, webhook.id)).toMatchObject({ disabledBecause: 'gone' });
  await until(() => t.sink.messages.some(({ raw }) => raw.includes('A webhook has been disabled')));
  await t.accept();
  expect(server.requests).toHaveLength(1);
  isGone = false;
  const workspace = { id: t.workspaceId, liveId: t.workspaceId };
  await updateWebhook(t.ctx, operator, workspace, { id: webhook.id, changes: { status: 'enabled' } });
  const [refused] = server.requests;
  await until(() => server.requests.filter(({ id }) => id === refused?.id).length === 2);
  await until(async () => (await readDeliveries(webhook.id)).every(({ status }) => status === 'delivered'));
});

test('410 does not disable a webhook whose URL has been replaced during the request', async () => {
  const gone = await openServer(async (_request, response) => {
    await changeUrl(webhook.id, server.url);
    response.writeHead(410).end();
  });
  const server = await openServer();
  const webhook = await addWebhook(gone.url, { events: ['email.accepted'] });
  await t.accept();
  await gone.untilReceived(1);
  await t.accept();
  await server.untilReceived(1);
  expect(await findWebhook(t.ctx.db, t.workspaceId, webhook.id)).toMatchObject({ status: 'enabled' });
  // The refused event goes to the new URL too.
  await until(() => server.requests.some(({ id }) => id === gone.requests[0]?.id));
});

test('a webhook whose every request has failed for five days is disabled', async () => {
  const server = await openServer((_request, response) => void response.writeHead(500).end());
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await t.ctx.db('webhook_states').update({ failures: 3, failing_since: t.ctx.db.raw("now() - interval '121 hours'") });
  await t.accept();
  await until(async () => (await findWebhook(t.ctx.db, t.workspaceId, webhook.id))?.disabledBecause === 'failing');
});

test('after ten failures in a row, a webhook gets a single request per pause, and everything once it works again', async () => {
  let works = true;
  const server = await openServer((_request, response) => void response.writeHead(works ? 200 : 503).end());
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await untilConfirmed(webhook.id);
  works = false;
  for (let count = 0; count < 40; count += 1) await t.accept();
  await until(async () => {
    const [state] = await t.ctx.db('webhook_states').where({ webhook_id: webhook.id });
    return state.paused_until !== null && state.lease_until === null;
  });
  const failed = server.requests.length - 1;
  expect(failed).toBeLessThan(40);
  works = true;
  await t.ctx.db('webhook_states').update({ paused_until: null });
  await until(
    async () => (await readDeliveries(webhook.id)).filter(({ status }) => status === 'delivered').length >= 40 - failed,
  );
});

const changeUrl = (id: string, url: string) =>
  updateWebhook(t.ctx, operator, { id: t.workspaceId, liveId: t.workspaceId }, { id, changes: { url } });

test('a new URL ends a pause', async () => {
  const server = await openServer();
  const webhook = await addWebhook('http://127.0.0.1:9/', { events: ['email.accepted'] });
  await t.ctx
    .db('webhook_states')
    .update({ failures: 20, failing_since: t.ctx.db.fn.now(), paused_until: t.ctx.db.raw("now() + interval '1 day'") });
  await t.accept();
  await changeUrl(webhook.id, server.url);
  await server.untilReceived(1);
  expect((await readWebhookHealth(t.ctx.db, [webhook.id])).get(webhook.id)).toMatchObject({
    failingSince: null,
    pausedUntil: null,
  });
});

test('a request to the old URL that fails later does not pause the new one', async () => {
  const waiting: ServerResponse[] = [];
  const old = await openServer((_request, response) => void waiting.push(response));
  const server = await openServer();
  const webhook = await addWebhook(old.url, { events: ['email.accepted'] });
  await t.ctx.db('webhook_states').update({ failures: 20 });
  await t.accept();
  await until(() => waiting.length > 0);
  await changeUrl(webhook.id, server.url);
  for (const response of waiting) response.writeHead(500).end();
  await t.accept();
  await server.untilReceived(1);
});

test('a short outage of a busy receiver costs a short pause, however many requests failed at once', async () => {
  let works = true;
  const server = await openServer((_request, response) => void response.writeHead(works ? 200 : 500).end());
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await untilConfirmed(webhook.id);
  works = false;
  for (let count = 0; count < 40; count += 1) await t.accept();
  const health = async () => (await readWebhookHealth(t.ctx.db, [webhook.id])).get(webhook.id);
  await until(async () => (await health())?.pausedUntil !== null);
  works = true;
  expect((await health())?.failingSince).not.toBeNull();
  await until(async () => (await health())?.failingSince === null);
  await until(async () => {
    const rows = await readDeliveries(webhook.id);
    return rows.length === 41;
  });
});

test('a receiver that never answers delays no other webhook and no mail', async () => {
  const [dead, live] = [await openServer(() => {}), await openServer()];
  await addWebhook(dead.url);
  await addWebhook(live.url);
  const ids = [];
  for (let count = 0; count < 20; count += 1) ids.push(await t.accept());
  await live.untilReceived(40);
  for (const id of ids) await t.until(id, 'sent');
  expect(dead.requests.length).toBeGreaterThan(0);
  await dead.close();
  servers.splice(servers.indexOf(dead), 1);
});

test('a test event goes to one webhook only, before everything that waits', async () => {
  const [server, other] = [await openServer(), await openServer()];
  const webhook = await addWebhook(server.url, { events: ['email.bounced'] });
  await addWebhook(other.url);
  const eventId = await sendTestEvent(t.ctx, t.workspaceId, webhook.id);
  const [request] = await server.untilReceived(1);
  expect(request).toMatchObject({ id: eventId, type: 'webhook.test', data: { webhook_id: webhook.id } });
  expect(other.requests).toHaveLength(0);
});

test('a period can be replayed to a webhook that did not exist at that time', async () => {
  const server = await openServer();
  const from = new Date(Date.now() - 1_000);
  await t.until(await t.accept(), 'sent');
  const webhook = await addWebhook(server.url);
  const replay = { from, to: new Date(Date.now() + 60_000) };
  await until(async () => (await replayEvents(t.ctx, t.workspaceId, { webhookId: webhook.id, replay })) === 2);
  expect(listTypes(await server.untilReceived(2))).toContain('email.sent');
});

test('what waits when a webhook is disabled is sent when it is enabled again', async () => {
  let works = false;
  const server = await openServer((_request, response) => void response.writeHead(works ? 200 : 500).end());
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await t.accept();
  await server.untilReceived(1);
  const workspace = { id: t.workspaceId, liveId: t.workspaceId };
  await updateWebhook(t.ctx, operator, workspace, { id: webhook.id, changes: { status: 'disabled' } });
  works = true;
  await t.ctx.db('webhook_deliveries').update({ due_at: t.ctx.db.raw('now()') });
  await updateWebhook(t.ctx, operator, workspace, { id: webhook.id, changes: { status: 'enabled' } });
  await server.untilReceived(2);
});

test('another worker takes over when a worker vanishes', async () => {
  const server = await openServer();
  const webhook = await addWebhook(server.url, { events: ['email.accepted'] });
  await t.ctx.db('webhook_states').update({ lease: 1, lease_until: t.ctx.db.raw("now() + interval '1 second'") });
  await t.accept();
  await server.untilReceived(1);
  await until(async () => (await readDeliveries(webhook.id))[0]?.status === 'delivered');
});
