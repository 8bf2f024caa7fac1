import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { createSsrfGuard, createWebhookClient } from '@posthorn/webhooks';
import { startReceiver, type TestReceiver } from './start-receiver.js';

const POST = { headers: {}, body: '{}' };

let dns: DnsServer;
let allowed: TestReceiver;
let forbidden: TestReceiver;

/** Only 127.0.0.1 is in an allowed network, so 127.0.0.2 is as forbidden as any private address. */
const guard = () => createSsrfGuard({ dnsServers: [dns.address], webhookAllowedNetworks: ['127.0.0.1/32'] });

beforeEach(async () => {
  dns = await startDnsServer();
  allowed = await startReceiver({ address: '127.0.0.1' });
  forbidden = await startReceiver({ address: '127.0.0.2', port: allowed.port });
});

afterEach(async () => {
  await Promise.all([allowed.close(), forbidden.close(), dns.close()]);
});

test('a name that changes to a forbidden address is refused on the next connection', async () => {
  dns.addresses('rebind.example', '127.0.0.1');
  const client = createWebhookClient(guard(), `http://rebind.example:${allowed.port}/`, { maxConnections: 1 });
  allowed.answer((_, response) => response.setHeader('connection', 'close').end());
  expect(await client.post(POST)).toMatchObject({ status: 200, error: null });

  dns.addresses('rebind.example', '127.0.0.2');
  expect(await client.post(POST)).toMatchObject({
    status: null,
    error: expect.stringMatching(/^The URL must begin/),
  });
  const secure = createWebhookClient(guard(), `https://rebind.example:${allowed.port}/`, { maxConnections: 1 });
  expect(await secure.post(POST)).toMatchObject({
    status: null,
    error: 'rebind.example leads to 127.0.0.2, which is a loopback address',
  });
  expect([allowed.connections, forbidden.connections]).toEqual([1, 0]);
  await Promise.all([client.close(), secure.close()]);
});

test('each connection looks up the name once and uses that answer', async () => {
  dns.addresses('once.example', '127.0.0.1');
  const client = createWebhookClient(guard(), `http://once.example:${allowed.port}/`, { maxConnections: 1 });
  await client.post(POST);
  await client.post(POST);
  expect(dns.questions.filter((question) => question.startsWith('A '))).toEqual(['A once.example over udp']);
  expect(allowed.connections).toBe(1);
  expect(allowed.requests[1]?.headers.host).toBe(`once.example:${allowed.port}`);
  await client.close();
});

test('a dot at the end of a name is not sent to the receiver', async () => {
  dns.addresses('dot.example', '127.0.0.1');
  const client = createWebhookClient(guard(), `http://dot.example.:${allowed.port}/`, { maxConnections: 1 });
  expect(await client.post(POST)).toMatchObject({ status: 200, error: null });
  expect(allowed.requests[0]?.headers.host).toBe(`dot.example:${allowed.port}`);
  await client.close();
});

test('a name with one allowed and one forbidden address is not connected to at all', async () => {
  dns.addresses('mixed.example', '127.0.0.1', '127.0.0.2');
  const client = createWebhookClient(guard(), `https://mixed.example:${allowed.port}/`, { maxConnections: 1 });
  expect((await client.post(POST)).error).toBe('mixed.example leads to 127.0.0.2, which is a loopback address');
  expect([allowed.connections, forbidden.connections]).toEqual([0, 0]);
  await client.close();
});

test.each(['127.0.0.2', '127.2', '[::ffff:127.0.0.2]'])(
  'the forbidden address %s is not connected to',
  async (host) => {
    const client = createWebhookClient(guard(), `https://${host}:${forbidden.port}/`, { maxConnections: 1 });
    expect((await client.post(POST)).error).toBe('The URL leads to 127.0.0.2, which is a loopback address');
    expect(forbidden.connections).toBe(0);
    await client.close();
  },
);

test('a redirect to a forbidden address is not followed', async () => {
  allowed.answer((_, response) => response.writeHead(307, { location: `http://127.0.0.2:${allowed.port}/` }).end());
  const client = createWebhookClient(guard(), `http://127.0.0.1:${allowed.port}/`, { maxConnections: 1 });
  expect(await client.post(POST)).toMatchObject({
    status: 307,
    error: 'The receiver answered 307. Redirects are not followed',
  });
  expect(forbidden.connections).toBe(0);
  await client.close();
});

test('a name without an address, and one that cannot be looked up, fail the attempt', async () => {
  dns.fail('broken.example', 'SERVFAIL');
  for (const [host, error] of [
    ['missing.example', 'missing.example has no address in DNS'],
    ['broken.example', expect.stringContaining('broken.example could not be looked up in DNS')],
  ]) {
    const client = createWebhookClient(guard(), `https://${host}/`, { maxConnections: 1 });
    expect(await client.post(POST)).toMatchObject({ status: null, error });
    await client.close();
  }
});
