import { markDomainVerified } from '@posthorn/domain/domains';
import { until } from '@posthorn/testing';
import type { ReceiverServer } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';
import type { Tenant } from './tenant.js';

let stack: WebhookStack;

beforeAll(async () => {
  stack = await openWebhookStack();
});

afterAll(() => stack.close());

const ACCEPTED = ['email.accepted'];
const listIds = ({ requests }: ReceiverServer) => requests.map(({ data }) => data.email_id).sort();

async function addDomain(tenant: Tenant, name: string): Promise<string> {
  const { body: domain } = await tenant.call('POST', '/domains', { name });
  await markDomainVerified(stack.ctx, domain.id);
  return domain.id;
}

/** Sends one more email and waits until `receiver` has its event, so earlier events have been handled by then. */
async function untilCaughtUp(tenant: Tenant, receiver: ReceiverServer): Promise<void> {
  const id = await tenant.send();
  await until(() => receiver.requests.some(({ data }) => data.email_id === id));
}

test('a webhook gets only the types, the domains and the tags that it wants', async () => {
  const tenant = await stack.openTenant();
  const [shop, news] = [await addDomain(tenant, 'shop.example'), await addDomain(tenant, 'news.example')];
  const settings = {
    all: { events: ACCEPTED },
    bounces: { events: ['email.bounced'] },
    ofShop: { events: ACCEPTED, domain_ids: [shop] },
    ofBoth: { events: ACCEPTED, domain_ids: [shop, news] },
    receipts: { events: ACCEPTED, tags: ['kind:receipt', 'kind:invoice'] },
    receiptsOfShop: { events: ACCEPTED, domain_ids: [shop], tags: ['kind:receipt'] },
  };
  const receivers = {} as Record<keyof typeof settings, ReceiverServer>;
  for (const [name, each] of Object.entries(settings)) {
    receivers[name as keyof typeof settings] = await stack.openReceiver();
    await tenant.addWebhook(receivers[name as keyof typeof settings].url, each);
  }
  const tagged = (value: string) => ({ tags: [{ name: 'kind', value }] });
  const plain = await tenant.send({ from_: 'a@shop.example' });
  const receipt = await tenant.send({ from_: 'a@shop.example', ...tagged('receipt') });
  const invoice = await tenant.send({ from_: 'a@news.example', ...tagged('invoice') });
  const letter = await tenant.send({ from_: 'a@news.example', ...tagged('letter') });
  const bounced = await tenant.send({ from_: 'a@news.example', to: ['bounced@simulator.example'] });
  const expected = {
    all: [plain, receipt, invoice, letter, bounced],
    bounces: [bounced],
    ofShop: [plain, receipt],
    ofBoth: [plain, receipt, invoice, letter, bounced],
    receipts: [receipt, invoice],
    receiptsOfShop: [receipt],
  };
  // Events of different emails arrive in any order, so the last email is sent when the others have arrived.
  const everyReceiver = Object.entries(receivers) as Array<[keyof typeof settings, ReceiverServer]>;
  for (const [name, { requests }] of everyReceiver) await until(() => requests.length >= expected[name].length);
  // Every webhook wants an event of this one, so unwanted ones that came before would have arrived, too.
  const last = await tenant.send({ from_: 'a@shop.example', to: ['bounced@simulator.example'], ...tagged('receipt') });
  for (const [, receiver] of everyReceiver) await until(() => listIds(receiver).includes(last));

  for (const [name, receiver] of everyReceiver) {
    expect([name, listIds(receiver)]).toEqual([name, [...expected[name], last].sort()]);
  }
  expect(receivers.bounces.requests.map(({ type }) => type)).toEqual(['email.bounced', 'email.bounced']);
});

test('events of another workspace never arrive', async () => {
  const [one, other] = [await stack.openTenant(), await stack.openTenant()];
  const [ofOne, ofOther] = [await stack.openReceiver(), await stack.openReceiver()];
  const webhook = await one.addWebhook(ofOne.url);
  await other.addWebhook(ofOther.url);
  const mine: string[] = [];
  const theirs: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    mine.push(await one.send());
    theirs.push(await other.send());
  }
  await until(() => ofOne.requests.length >= 40 && ofOther.requests.length >= 40);
  expect(new Set(listIds(ofOne))).toEqual(new Set(mine));
  expect(new Set(listIds(ofOther))).toEqual(new Set(theirs));
  const replay = await other.call('POST', `/webhooks/${webhook.id}/replay`, { failed: true });
  expect(replay.status).toBe(404);
});

test('a webhook of test mail gets only test mail, and one of live mail only live mail', async () => {
  const { live, test } = await stack.openTenantWithTestMail();
  const [ofLive, ofTest] = [await stack.openReceiver(), await stack.openReceiver()];
  await live.addWebhook(ofLive.url, { events: ACCEPTED });
  await test.addWebhook(ofTest.url, { events: ACCEPTED });
  const [liveId, testId] = [await live.send(), await test.send()];
  await until(() => ofLive.requests.length > 0 && ofTest.requests.length > 0);
  expect(ofLive.requests.map(({ data }) => [data.email_id, data.mode])).toEqual([[liveId, 'live']]);
  expect(ofTest.requests.map(({ data }) => [data.email_id, data.mode])).toEqual([[testId, 'test']]);
});

test('a change of the types, the URL, the tags or the status has effect for the next event', async () => {
  const tenant = await stack.openTenant();
  const [first, second, all] = [await stack.openReceiver(), await stack.openReceiver(), await stack.openReceiver()];
  await tenant.addWebhook(all.url, { events: ACCEPTED });
  const { id } = await tenant.addWebhook(first.url, { events: ['email.bounced'] });
  await untilCaughtUp(tenant, all);
  expect(first.requests).toEqual([]);

  await tenant.changeWebhook(id, { events: ACCEPTED });
  const byType = await tenant.send();
  await until(() => first.requests.length === 1);

  await tenant.changeWebhook(id, { url: second.url });
  const byUrl = await tenant.send();
  await until(() => second.requests.length === 1);

  await tenant.changeWebhook(id, { tags: ['kind:receipt'] });
  await untilCaughtUp(tenant, all);
  const byTag = await tenant.send({ tags: [{ name: 'kind', value: 'receipt' }] });
  await until(() => second.requests.length === 2);

  await tenant.changeWebhook(id, { status: 'disabled', tags: null });
  const whileDisabled = await tenant.send();
  await untilCaughtUp(tenant, all);
  expect(second.requests).toHaveLength(2);
  await tenant.changeWebhook(id, { status: 'enabled' });
  await until(() => second.requests.length > 2);
  expect(listIds(first)).toEqual([byType]);
  expect(listIds(second).slice(0, 2)).toEqual([byUrl, byTag]);
  await until(() => listIds(second).includes(whileDisabled));
});
