import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type DnsServer, startDnsServer, until } from '@posthorn/testing';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';
import type { Tenant } from './tenant.js';

let dns: DnsServer;
let stack: WebhookStack;
let tenant: Tenant;

beforeAll(async () => {
  dns = await startDnsServer();
  // Only 127.0.0.1 may be reached, so 127.0.0.2 is as forbidden as any private address.
  stack = await openWebhookStack({ env: { DNS_SERVERS: dns.address } });
  tenant = await stack.openTenant();
});

afterAll(async () => {
  await stack.close();
  await dns.close();
});

const ACCEPTED = { events: ['email.accepted'] };

test('a name that changes to a forbidden address after the webhook was created is not connected to', async () => {
  const statuses = [200, 500];
  const allowed = await stack.openReceiver(
    (_request, response) => void response.writeHead(statuses.shift() ?? 200, { connection: 'close' }).end(),
  );
  const { port } = new URL(allowed.url);
  let connections = 0;
  const forbidden: Server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(Number(port), '127.0.0.2');
  await once(forbidden, 'listening');

  dns.addresses('rebind.example', '127.0.0.1');
  const { id } = await tenant.addWebhook(`http://rebind.example:${port}/hook`, ACCEPTED);
  await tenant.send();
  await allowed.untilReceived(1);

  dns.addresses('rebind.example', '127.0.0.1', '127.0.0.2');
  await tenant.send();
  await allowed.untilReceived(2);
  // After the failure, the name is looked up again.
  await until(async () => {
    await tenant.send();
    const errors = (await tenant.deliveriesOf(id)).map(({ attempts }) => attempts[0]?.error);
    return errors.includes('The URL must begin with https://');
  });
  expect(connections).toBe(0);
  forbidden.close();
});

test.each([
  ['https://127.0.0.2/hook', /leads to 127\.0\.0\.2, which is a loopback address/],
  ['https://[::ffff:10.0.0.5]/hook', /leads to 10\.0\.0\.5, which is a private address/],
  ['http://8.8.8.8/hook', /must begin with https/],
  ['https://unknown.example/hook', /has no address in DNS/],
])('%s is refused when a webhook is created and when it is changed', async (url, message) => {
  const { id } = await tenant.addWebhook('http://127.0.0.1:9/hook', ACCEPTED);
  const answers = [
    await tenant.call('POST', '/webhooks', { url, ...ACCEPTED }),
    await tenant.call('PATCH', `/webhooks/${id}`, { url }),
  ];
  for (const { status, body } of answers) {
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors).toEqual([{ field: 'url', message: expect.stringMatching(message) }]);
  }
});
