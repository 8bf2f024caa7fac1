import { until } from '@posthorn/testing';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';
import type { Tenant } from './tenant.js';

let stack: WebhookStack;
let tenant: Tenant;

beforeAll(async () => {
  stack = await openWebhookStack();
});
beforeEach(async () => {
  tenant = await stack.openTenant();
});
afterAll(() => stack.close());

const DAY_MS = 86_400_000;
const ACCEPTED = { events: ['email.accepted'] };

async function untilDelivered(webhookId: string, count: number): Promise<void> {
  await until(async () => {
    const deliveries = await tenant.deliveriesOf(webhookId);
    return deliveries.length === count && deliveries.every(({ status }) => status === 'delivered');
  });
}

test('one event is sent again, with the same id and body', async () => {
  const receiver = await stack.openReceiver();
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  await tenant.send();
  await receiver.untilReceived(2);
  await untilDelivered(id, 2);
  const [, chosen] = receiver.requests;
  expect(await tenant.replay(id, { event_id: chosen?.id ?? '' })).toBe(1);
  const [, , again] = await receiver.untilReceived(3);
  expect([again?.id, again?.body]).toEqual([chosen?.id, chosen?.body]);
  await until(async () => (await tenant.deliveriesOf(id)).some(({ attempts }) => attempts.length === 2));
  const replayed = (await tenant.deliveriesOf(id)).find(({ attempts }) => attempts.length === 2);
  expect(replayed).toMatchObject({ id: chosen?.id, status: 'delivered' });
});

test('the log of a delivery keeps the newest 20 attempts, however often it is replayed', async () => {
  let count = 0;
  const receiver = await stack.openReceiver((_request, response) => {
    count += 1;
    response.end(`answer ${count}`);
  });
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.send();
  for (let sent = 1; sent <= 22; sent += 1) {
    await receiver.untilReceived(sent);
    await until(async () => (await tenant.deliveriesOf(id))[0]?.attempts.at(-1)?.response === `answer ${sent}`);
    if (sent < 22) await tenant.replay(id, { event_id: receiver.requests[0]?.id ?? '' });
  }
  const [delivery] = await tenant.deliveriesOf(id);
  expect(delivery?.attempts.map((attempt) => attempt.response)).toEqual(
    Array.from({ length: 20 }, (_, index) => `answer ${index + 3}`),
  );
});

test('the events of a period are sent again, and those of other times are not', async () => {
  const receiver = await stack.openReceiver();
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  const sent: string[] = [];
  for (let count = 0; count < 5; count += 1) sent.push(await tenant.send());
  await receiver.untilReceived(5);
  await untilDelivered(id, 5);
  const times = new Map<string, string>();
  for (const email of sent) times.set(email, (await tenant.eventsOf(email))[0]?.created_at ?? '');
  const [from, to] = [times.get(sent[1] ?? '') ?? '', times.get(sent[3] ?? '') ?? ''];
  const expected = sent.filter((email) => (times.get(email) ?? '') >= from && (times.get(email) ?? '') < to);
  expect(expected.length).toBeGreaterThan(0);
  expect(await tenant.replay(id, { from, to })).toBe(expected.length);
  await receiver.untilReceived(5 + expected.length);
  const again = receiver.requests.slice(5).map(({ data }) => data.email_id);
  expect(again.sort()).toEqual(expected.sort());
});

test('a period is replayed to a webhook that did not exist then, but only the types that it wants', async () => {
  const from = new Date(Date.now() - 60_000).toISOString();
  const sent = await tenant.send();
  await until(async () => (await tenant.eventsOf(sent)).length === 2);
  const receiver = await stack.openReceiver();
  const { id } = await tenant.addWebhook(receiver.url, { events: ['email.sent'] });
  const to = new Date(Date.now() + 60_000).toISOString();
  expect(await tenant.replay(id, { from, to })).toBe(1);
  expect(await receiver.untilReceived(1)).toMatchObject([{ type: 'email.sent', data: { email_id: sent } }]);
  const dayBefore = {
    from: new Date(Date.now() - 2 * DAY_MS).toISOString(),
    to: new Date(Date.now() - DAY_MS).toISOString(),
  };
  expect(await tenant.replay(id, dayBefore)).toBe(0);
});

test('everything that failed is sent again, and what was delivered is not', async () => {
  let works = true;
  const receiver = await stack.openReceiver((_request, response) => void response.writeHead(works ? 200 : 500).end());
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  const good = await tenant.send();
  await untilDelivered(id, 1);
  works = false;
  const bad = [await tenant.send(), await tenant.send(), await tenant.send()];
  await until(async () => (await tenant.deliveriesOf(id)).filter(({ attempts }) => attempts.length > 0).length === 4);
  // One of them has failed for good.
  const [{ event_id: given }] = await stack.ctx
    .db('webhook_deliveries')
    .where({ webhook_id: id, status: 'pending' })
    .limit(1)
    .update({ status: 'failed', due_at: null })
    .returning('event_id')
    .then((rows) => rows.slice(0, 1));
  expect(given).toBeDefined();
  works = true;
  expect(await tenant.replay(id, { failed: true })).toBeGreaterThan(0);
  await untilDelivered(id, 4);
  const counts = new Map<unknown, number>();
  for (const { data } of receiver.requests) counts.set(data.email_id, (counts.get(data.email_id) ?? 0) + 1);
  expect(counts.get(good)).toBe(1);
  for (const email of bad) expect(counts.get(email)).toBeGreaterThanOrEqual(2);
});

test('a deleted webhook gets nothing more', async () => {
  const [receiver, other] = [await stack.openReceiver(), await stack.openReceiver()];
  const { id } = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.addWebhook(other.url, ACCEPTED);
  await tenant.send();
  await receiver.untilReceived(1);
  await tenant.call('DELETE', `/webhooks/${id}`);
  await tenant.send();
  await other.untilReceived(2);
  expect(receiver.requests).toHaveLength(1);
});
