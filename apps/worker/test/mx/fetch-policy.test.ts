import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { type DnsServer, type ForkedProgram, forkProgram, startDnsServer } from '@posthorn/testing';
import { startReceiver, type TestReceiver } from '../../../../packages/webhooks/test/start-receiver.js';
import type { StsPolicy } from '../../src/mx/find-policy.js';

const CERTIFICATES = join(import.meta.dirname, 'certificates');
const certificate = (name: string) => readFileSync(join(CERTIFICATES, name));

const POLICY = 'version: STSv1\r\nmode: enforce\r\nmx: mx.a.example\r\nmax_age: 86400\r\n';

let dns: DnsServer;
let server: TestReceiver;
/** Trusts the authority of our certificates. Node reads that setting when it starts, so this process cannot. */
let otherProcess: ForkedProgram;

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startReceiver({ tls: { key: certificate('server.key'), cert: certificate('policies.pem') } });
  otherProcess = forkProgram(
    join(import.meta.dirname, 'find-policy-on-message.ts'),
    [dns.address, String(server.port)],
    { NODE_EXTRA_CA_CERTS: join(CERTIFICATES, 'authority.pem') },
  );
});
afterAll(async () => {
  await Promise.all([otherProcess.stop(), dns.close(), server.close()]);
});
beforeEach(() => {
  dns.clear();
  for (const domain of ['a.example', 'b.example']) {
    dns.txt(`_mta-sts.${domain}`, 'v=STSv1; id=1;');
    dns.addresses(`mta-sts.${domain}`, '127.0.0.1');
  }
});

const find = (domain = 'a.example') => otherProcess.ask<{ policy: StsPolicy | null; ms: number }>(domain);

function answer(type: string, body: string | Buffer, status = 200): RequestListener {
  return (_, response) => response.writeHead(status, { 'content-type': type }).end(body);
}

test.each(['text/plain', 'Text/Plain; charset=utf-8'])('a policy of type %s is taken', async (type) => {
  server.answer(answer(type, POLICY));
  const { policy } = await find();
  expect(policy).toEqual({ mode: 'enforce', mx: ['mx.a.example'], id: '1', expires: expect.any(String) });
  expect(server.requests.at(-1)?.headers.host).toBe(`mta-sts.a.example:${server.port}`);
});

test.each<[string, RequestListener]>([
  ['a redirect', (_, response) => response.writeHead(302, { location: `https://mta-sts.a.example/` }).end()],
  ['another status', answer('text/plain', POLICY, 203)],
  ['an error', answer('text/plain', POLICY, 500)],
  ['HTML', answer('text/html', '<html>welcome</html>')],
  ['a policy as HTML', answer('text/html', POLICY)],
  ['no type', (_, response) => response.writeHead(200).end(POLICY)],
  ['more than 64 KiB', answer('text/plain', Buffer.concat([Buffer.from(POLICY), Buffer.alloc(10_000_000, '\n')]))],
  ['no text', answer('text/plain', '')],
  ['a cut connection', (request) => void request.socket.destroy()],
])('%s is no policy', async (_, listener) => {
  const before = server.requests.length;
  server.answer(listener);
  expect((await find()).policy).toBeNull();
  expect(server.requests.length).toBe(before + 1);
});

test('a policy of almost 64 KiB is taken', async () => {
  server.answer(answer('text/plain', POLICY + `x: ${'y'.repeat(1_000)}\n`.repeat(64)));
  expect((await find()).policy).toMatchObject({ mode: 'enforce' });
});

test.each<[string, RequestListener]>([
  ['sends nothing', () => {}],
  [
    'drips',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(timer));
    },
  ],
])('mail does not wait longer than the time-out for a server that %s', async (_, listener) => {
  server.answer(listener);
  const { policy, ms } = await find();
  expect(policy).toBeNull();
  expect(ms).toBeGreaterThan(3_900);
  expect(ms).toBeLessThan(15_000);
});

test('mail does not wait longer than the time-out for a host that DNS does not answer for', async () => {
  dns.fail('mta-sts.a.example', 'silence');
  const { policy, ms } = await find();
  dns.heal();
  expect(policy).toBeNull();
  expect(ms).toBeLessThan(15_000);
});

test('a certificate for another name is no policy', async () => {
  server.answer(answer('text/plain', POLICY));
  const before = server.requests.length;
  expect((await find('b.example')).policy).toBeNull();
  expect(server.requests.length).toBe(before);
});

test.each([['10.0.0.5'], ['127.0.0.2'], ['127.0.0.1', '10.0.0.5']])(
  'a host with a private address is never connected to: %s %s',
  async (...addresses) => {
    dns.addresses('mta-sts.a.example', ...addresses);
    server.answer(answer('text/plain', POLICY));
    const before = server.connections;
    expect((await find()).policy).toBeNull();
    expect(server.connections).toBe(before);
  },
);

test('without a record in DNS, nothing is fetched', async () => {
  dns.txt('_mta-sts.a.example');
  const before = server.connections;
  expect((await find()).policy).toBeNull();
  expect(server.connections).toBe(before);
});
