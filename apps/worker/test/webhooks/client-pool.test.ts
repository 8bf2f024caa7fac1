import { once } from 'node:events';
import { createSsrfGuard } from '@posthorn/webhooks';
import { KEEP_OPEN_MS, openClientPool } from '../../src/webhooks/client-pool.js';
import { openReceiverServer, type ReceiverServer } from './open-receiver-server.js';

const guard = createSsrfGuard({ dnsServers: [], webhookAllowedNetworks: ['127.0.0.1/32'] });
const post = { headers: { 'webhook-id': 'an id' }, body: '{"type":"email.sent","data":{}}' };

let server: ReceiverServer;

beforeEach(async () => {
  server = await openReceiverServer();
});

afterEach(async () => {
  jest.useRealTimers();
  await server.close();
});

test('a client that two leases use stays open until the second one has ended', async () => {
  const clients = openClientPool(guard);
  const webhook = { id: 'a webhook', url: server.url };
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const secondMayEnd = new EventTarget();
  const second = clients.use(webhook, async ({ client }) => {
    await once(secondMayEnd, 'end');
    return client.post(post);
  });
  await clients.use(webhook, ({ client }) => client.post(post));

  await jest.advanceTimersByTimeAsync(KEEP_OPEN_MS);
  secondMayEnd.dispatchEvent(new Event('end'));
  const answer = await second;

  expect(answer).toMatchObject({ status: 200, error: null });
  await clients.close();
});
