import { until } from '@posthorn/testing';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';

let stack: WebhookStack;

beforeAll(async () => {
  stack = await openWebhookStack();
});
afterAll(() => stack.close());

const PENDING = 100_000;

/** Stores events as if emails had been sent. */
async function storeEvents(workspaceId: string, count: number): Promise<void> {
  await stack.ctx.db.raw(
    `insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
     select gen_random_uuid(), gen_random_uuid(), 2, ?, 'email.sent', 'jane@example.com', '250 Ok', now()
     from generate_series(1, ?::int)`,
    [workspaceId, count],
  );
}

test('a receiver that never answers, with 100,000 events waiting, delays neither mail nor another webhook', async () => {
  const [blocked, other] = [await stack.openTenant(), await stack.openTenant()];
  const [dead, live] = [await stack.openReceiver(() => {}), await stack.openReceiver()];
  const webhook = await blocked.addWebhook(dead.url, { events: ['email.sent'] });
  await other.addWebhook(live.url, { events: ['email.accepted', 'email.sent'] });
  await storeEvents(blocked.workspaceId, PENDING);
  await until(() => dead.requests.length > 0);

  const earlier = stack.sink.messages.length;
  const ids = new Set<unknown>();
  for (let count = 0; count < 20; count += 1) ids.add(await other.send());
  const mine = await blocked.send();
  await live.untilReceived(40);
  await until(async () => (await blocked.eventsOf(mine)).some(({ type }) => type === 'email.sent'));

  expect(new Set(live.requests.map(({ data }) => data.email_id))).toEqual(ids);
  expect(stack.sink.messages).toHaveLength(earlier + 21);
  // Nothing has been delivered to the receiver that never answers, and nothing has been given up.
  for (const status of ['delivered', 'failed']) {
    const { body } = await blocked.call('GET', `/webhooks/${webhook.id}/deliveries?status=${status}`);
    expect(body.data).toEqual([]);
  }
});

test('fifty webhooks of one workspace whose receiver never answers leave room for the webhook of another', async () => {
  const [blocked, other] = [await stack.openTenant(), await stack.openTenant()];
  const [dead, live] = [await stack.openReceiver(() => {}), await stack.openReceiver()];
  for (let count = 0; count < 50; count += 1) await blocked.addWebhook(dead.url, { events: ['email.sent'] });
  await other.addWebhook(live.url, { events: ['email.sent'] });
  await storeEvents(blocked.workspaceId, 1);
  await until(() => dead.requests.length === 2);

  await other.send();
  await live.untilReceived(1);
  // An attempt is recorded when it ends. All are still waiting for their answers.
  expect(await stack.ctx.db('webhook_deliveries').where({ workspace_id: blocked.workspaceId })).toEqual([]);
});
