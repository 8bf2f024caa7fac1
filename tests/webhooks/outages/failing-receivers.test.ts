import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@posthorn/platform/values';
import { until } from '@posthorn/testing';
import { openWebhookStack, type WebhookStack } from '../open-webhook-stack.js';
import type { Tenant } from '../tenant.js';

let stack: WebhookStack;
let tenant: Tenant;

beforeAll(async () => {
  stack = await openWebhookStack();
});
beforeEach(async () => {
  tenant = await stack.openTenant();
});
afterAll(() => stack.close());

/** A receiver that works would have got the next event by then. */
const QUIET_MS = 500;
/** How long a busy machine may take from reading a header to our request. */
const BUSY_SECONDS = 300;
const ACCEPTED = { events: ['email.accepted'] };

/** The mail that says that a webhook has been disabled. */
const mailsToOwner = () =>
  stack.sink.messages.filter(
    ({ envelope, parsed }) => envelope.to.includes(tenant.email) && parsed.subject === 'A webhook has been disabled',
  );

/** The deliveries of a webhook once each of them was tried. */
async function triedDeliveries(id: string) {
  await until(async () => {
    const deliveries = await tenant.deliveriesOf(id);
    return deliveries.length > 0 && deliveries.every(({ attempts }) => attempts.length > 0);
  });
  return tenant.deliveriesOf(id);
}

const secondsUntil = (at: string | null | undefined) => (Date.parse(at ?? '') - Date.now()) / 1_000;

test('a 410 disables the webhook at once, and tells its owner by mail', async () => {
  const receiver = await stack.openReceiver((_request, response) => void response.writeHead(410).end());
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  await until(async () => (await tenant.getWebhook(id)).status === 'disabled');
  expect(await tenant.getWebhook(id)).toMatchObject({ disabled_because: 'gone' });
  await until(() => mailsToOwner().length === 1);
  const [mail] = mailsToOwner();
  expect(mail?.parsed.text).toContain(id);
  expect(mail?.parsed.text).toContain('410');
  expect(mail?.parsed.text).not.toContain('/hook');
  expect(receiver.requests).toHaveLength(1);
  expect(await stack.ctx.db('audit_log').where({ target_id: id }).orderBy('id', 'desc').first()).toMatchObject({
    ...{ actor_type: 'system', ip: null, action: 'webhook.updated' },
    changes: { status: { from: 'enabled', to: 'disabled' }, disabled_because: { from: null, to: 'gone' } },
  });
  // A change of another setting does not hide why it is disabled.
  expect(await tenant.changeWebhook(id, { description: 'Old shop' })).toMatchObject({ disabled_because: 'gone' });
});

test('five days of failures disable the webhook, and what waited is sent when it is enabled again', async () => {
  let works = false;
  const receiver = await stack.openReceiver((_request, response) => void response.writeHead(works ? 200 : 500).end());
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  const sent = [await tenant.send()];
  await triedDeliveries(id);
  await until(
    async () => (await stack.ctx.db('webhook_states').where({ webhook_id: id }).first()).failing_since !== null,
  );
  expect(await tenant.getWebhook(id)).toMatchObject({ status: 'enabled' });

  const since = new Date(Date.now() - 5 * DAY_MS);
  await stack.ctx.db('webhook_states').where({ webhook_id: id }).update({ failing_since: since });
  sent.push(await tenant.send());
  await until(async () => (await tenant.getWebhook(id)).status === 'disabled');
  expect(await tenant.getWebhook(id)).toMatchObject({ disabled_because: 'failing' });
  await until(() => mailsToOwner().length === 1);
  expect(mailsToOwner()[0]?.parsed.text).toContain('5 days');

  works = true;
  expect(await tenant.changeWebhook(id, { status: 'enabled' })).toMatchObject({ disabled_because: null });
  await until(async () => (await tenant.deliveriesOf(id)).every(({ status }) => status === 'delivered'));
  const delivered = await tenant.deliveriesOf(id);
  expect(delivered.map(({ event }) => (event?.data as { email_id: string } | undefined)?.email_id).sort()).toEqual(
    sent.sort(),
  );
});

test.each([
  [429, { 'retry-after': '1800' }, 1_800],
  [503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }, 3_600],
  [503, { 'retry-after': '86400' }, 3_600],
])('after a %i with the header %j, the next request is made in %i seconds', async (status, headers, seconds) => {
  const receiver = await stack.openReceiver((_request, response) => void response.writeHead(status, headers).end());
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  const [delivery] = await triedDeliveries(id);
  expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status }] });
  const waits = secondsUntil(delivery?.next_attempt_at);
  expect(waits).toBeGreaterThan(seconds - BUSY_SECONDS);
  expect(waits).toBeLessThan(seconds + BUSY_SECONDS);
  await tenant.send();
  await sleep(QUIET_MS);
  expect(receiver.requests).toHaveLength(1);
});

test.each([301, 302, 303, 307, 308])('a %i is a failure, and its target gets nothing', async (status) => {
  const target = await stack.openReceiver();
  const receiver = await stack.openReceiver(
    (_request, response) => void response.writeHead(status, { location: target.url }).end(),
  );
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  const [delivery] = await triedDeliveries(id);
  const error = `The receiver answered ${status}. Redirects are not followed`;
  expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status, error }] });
  expect(target.requests).toEqual([]);
});

test('of an endless response, 4,000 bytes are kept', async () => {
  const receiver = await stack.openReceiver((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  });
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  const [delivery] = await triedDeliveries(id);
  expect(delivery).toMatchObject({
    status: 'delivered',
    attempts: [{ status: 200, response: 'x'.repeat(4_000), response_truncated: true }],
  });
});

test('a response that drips in for longer than 15 seconds is a failure', async () => {
  const server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': 1_000 });
    const timer = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { id } = await tenant.addWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ACCEPTED);
  await tenant.send();
  const [delivery] = await triedDeliveries(id);
  const error = 'The response was not complete after 15 seconds';
  expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status: 200, error }] });
  server.closeAllConnections();
  server.close();
});

test('a failed request is repeated after about 5 seconds, with the same id and body and a new signature', async () => {
  let failures = 1;
  const receiver = await stack.openReceiver((_request, response) => {
    response.writeHead(failures > 0 ? 500 : 200).end();
    failures -= 1;
  });
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  const [first, second] = await receiver.untilReceived(2);
  expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
  expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
  expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
  await until(async () => (await tenant.deliveriesOf(id))[0]?.status === 'delivered');
  const [delivery] = await tenant.deliveriesOf(id);
  expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 200]);
});
