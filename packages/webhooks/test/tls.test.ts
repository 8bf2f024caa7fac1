import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DnsServer, type ForkedProgram, forkProgram, startDnsServer } from '@posthorn/testing';
import type { PostResult } from '@posthorn/webhooks';
import { startReceiver } from './start-receiver.js';

const CERTIFICATES = join(import.meta.dirname, 'certificates');
const certificate = (name: string) => readFileSync(join(CERTIFICATES, name));

let dns: DnsServer;
/** Trusts the authority of our certificates. Node reads that setting when it starts, so this process cannot. */
let otherProcess: ForkedProgram;

beforeAll(async () => {
  dns = await startDnsServer();
  dns.addresses('hooks.example.com', '127.0.0.1');
  dns.addresses('other.example.com', '127.0.0.1');
  otherProcess = forkProgram(join(import.meta.dirname, 'post-on-message.ts'), [dns.address], {
    NODE_EXTRA_CA_CERTS: join(CERTIFICATES, 'authority.pem'),
  });
});

afterAll(async () => {
  await Promise.all([otherProcess.stop(), dns.close()]);
});

const postOnce = (url: string) => otherProcess.ask<PostResult>(url);

test.each([
  ['a valid one', 'valid.pem', 'hooks.example.com', null],
  ['a self-signed one', 'self-signed.pem', 'hooks.example.com', 'The certificate is self-signed'],
  ['an expired one', 'expired.pem', 'hooks.example.com', 'The certificate has expired'],
  ['one for another name', 'valid.pem', 'other.example.com', 'The certificate is not valid for other.example.com'],
])('the certificate of a receiver is checked: %s', async (_, file, host, error) => {
  const server = await startReceiver({ tls: { key: certificate('server.key'), cert: certificate(file) } });
  const result = await postOnce(`https://${host}:${server.port}/`);
  expect(result).toMatchObject({ status: error === null ? 200 : null, error });
  expect(server.requests).toHaveLength(error === null ? 1 : 0);
  await server.close();
});

test('a receiver that does not use TLS is not sent anything', async () => {
  const server = await startReceiver();
  const result = await postOnce(`https://hooks.example.com:${server.port}/`);
  expect(result.error).toBe('The host does not use TLS on this port');
  expect(server.requests).toEqual([]);
  await server.close();
});
