import { markDomainVerified } from '@posthorn/domain/domains';
import { until } from '@posthorn/testing';
import type { ReceiverServer } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';
import type { Tenant } from './tenant.js';

let stack: WebhookStack;
let tenant: Tenant;
let receiver: ReceiverServer;

beforeAll(async () => {
  stack = await openWebhookStack({
    sink: { reply: (command, address) => (command === 'RCPT' && address.startsWith('busy') ? BUSY : undefined) },
  });
  tenant = await stack.openTenant();
  receiver = await stack.openReceiver();
  await tenant.addWebhook(receiver.url);
});

afterAll(() => stack.close());

const BUSY = { code: 451, text: '4.7.1 Try again later' };

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
/** The requests about an email that the webhook has received. */
const postedAbout = (id: string) => receiver.requests.filter(({ data }) => data.email_id === id);

const simulate = (local: string) => tenant.send({ to: [`${local}@simulator.example`] });

async function cancelScheduled(): Promise<string> {
  const id = await tenant.send({ scheduled_at: inSeconds(600) });
  await tenant.call('PATCH', `/emails/${id}`, { scheduled_at: inSeconds(700) });
  await tenant.call('POST', `/emails/${id}/cancel`);
  return id;
}

/** Deletes the sending domain of an email that waits. */
async function loseDomain(): Promise<string> {
  const { body: domain } = await tenant.call('POST', '/domains', { name: 'lost.example' });
  await markDomainVerified(stack.ctx, domain.id);
  const id = await tenant.send({ from_: 'shop@lost.example', scheduled_at: inSeconds(2) });
  await tenant.call('DELETE', `/domains/${domain.id}`);
  return id;
}

test.each([
  ['is sent', () => tenant.send(), ['accepted', 'sent']],
  ['is scheduled, rescheduled and canceled', cancelScheduled, ['accepted', 'scheduled', 'scheduled', 'canceled']],
  ['is deferred and then sent', () => simulate('deferred'), ['accepted', 'deferred', 'deferred', 'sent']],
  ['is delivered', () => simulate('delivered'), ['accepted', 'sent', 'delivered']],
  ['bounces', () => simulate('bounced'), ['accepted', 'bounced']],
  ['gets a complaint', () => simulate('complained'), ['accepted', 'sent', 'delivered', 'complained']],
  ['is suppressed', () => simulate('suppressed'), ['accepted', 'suppressed']],
  [
    'has two recipients',
    () => tenant.send({ to: ['jane@example.com', 'bounced@simulator.example'] }),
    ['accepted', 'bounced', 'sent'],
  ],
  [
    'expires',
    () => tenant.send({ to: ['busy@example.com'], expires_at: inSeconds(3) }),
    ['accepted', 'deferred', 'deferred', 'deferred', 'expired'],
  ],
  ['fails, because its domain was deleted', loseDomain, ['accepted', 'scheduled', 'failed']],
] as const)('each event of an email that %s is posted, listed and shown', async (_name, act, types) => {
  const id = await act();
  await until(() => postedAbout(id).length >= types.length);

  // While a transaction of another test's database ends, its database is unknown, so readers wait for it for a moment.
  await until(async () => (await tenant.eventsOf(id)).length >= types.length);
  const listed = await tenant.eventsOf(id);
  expect(listed.map(({ type }) => type).sort()).toEqual(types.map((type) => `email.${type}`).sort());
  expect(listed.map(({ sequence }) => sequence)).toEqual(types.map((_, index) => index + 1));

  const bySequence = postedAbout(id).toSorted((one, other) => Number(one.data.sequence) - Number(other.data.sequence));
  expect(bySequence.map(({ id: eventId, type, data }) => ({ eventId, type, ...data }))).toEqual(
    listed.map(({ id: eventId, type, data, sequence }) => ({ eventId, type, ...data, sequence })),
  );

  const { body: email } = await tenant.call('GET', `/emails/${id}`);
  const { body: timeline } = await tenant.call('GET', `/emails/${id}/events?limit=100`);
  const ids = listed.map((event) => event.id);
  expect(email.events.map((event: { id: string }) => event.id)).toEqual(ids);
  expect(timeline.data.map((event: { id: string }) => event.id)).toEqual(ids.toReversed());
});

test('no posted body has any of the content', async () => {
  const id = await tenant.send();
  await until(() => postedAbout(id).some(({ type }) => type === 'email.sent'));
  for (const { body } of postedAbout(id))
    for (const secret of ['Secret text', 'Hello']) expect(body).not.toContain(secret);
});
