import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { createHostLookup } from '../../src/network/host-lookup.js';

let dns: DnsServer;
let folder: string;

beforeEach(async () => {
  dns = await startDnsServer();
  dns.addresses('quick.example', '192.0.2.1', '2001:db8::1');
  folder = await mkdtemp(join(tmpdir(), 'posthorn-hosts-'));
});

afterEach(async () => {
  await dns.close();
  await rm(folder, { recursive: true });
});

const listSlowNames = (count: number) => Array.from({ length: count }, (_, i) => `slow${i}.zone${i}.example`);

/** Looks names up as if the system had our DNS server and this hosts file. */
async function openSystemLookup({ hosts = '', now = () => 0 }: { hosts?: string; now?: () => number } = {}) {
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, hosts);
  return createHostLookup({ dnsServers: [] }, { systemServers: [dns.address], hostsFile, now });
}

test('names that no resolver answers delay no other name', async () => {
  const slow = listSlowNames(25);
  for (const name of slow) dns.fail(name, 'silence');
  const lookUp = await openSystemLookup();
  const first = await Promise.race([...slow.map(lookUp), lookUp('quick.example')]);
  expect(first).toEqual({ addresses: ['192.0.2.1', '2001:db8::1'] });
});

test('one domain can have 32 names looked up at the same time, which leaves room for others', async () => {
  dns.failAll('silence');
  const lookUp = await openSystemLookup();
  const names = Array.from({ length: 33 }, (_, i) => `slow${i}.example.com`);
  const waiting = names.slice(0, 32).map(lookUp);
  expect(await lookUp(names[32] as string)).toEqual({
    reason: expect.stringContaining('too many names of its domain are being looked up'),
  });
  dns.heal();
  expect(await lookUp('quick.example')).toMatchObject({ addresses: expect.any(Array) });
  for (const found of await Promise.all(waiting)) expect(found).toHaveProperty('reason');
});

test('a name without an address is not asked for again for ten seconds', async () => {
  let now = 0;
  const lookUp = await openSystemLookup({ now: () => now });
  dns.fail('broken.example', 'SERVFAIL');
  for (let count = 0; count < 3; count += 1) {
    expect(await lookUp('missing.example')).toEqual({ reason: 'has no address in DNS' });
    expect(await lookUp('broken.example')).toEqual({ reason: expect.stringContaining('SERVFAIL') });
  }
  expect(dns.questions.filter((question) => question.startsWith('A missing'))).toHaveLength(1);
  dns.addresses('missing.example', '192.0.2.9');
  now = 10_001;
  expect(await lookUp('missing.example')).toEqual({ addresses: ['192.0.2.9'] });
});

test('connections that need the same name at the same time share a lookup, and later ones ask again', async () => {
  const lookUp = await openSystemLookup();
  await Promise.all([lookUp('quick.example'), lookUp('QUICK.example.')]);
  const countQuestions = () => dns.questions.filter((question) => question.startsWith('A quick')).length;
  expect(countQuestions()).toBe(1);
  await lookUp('quick.example');
  expect(countQuestions()).toBe(2);
});

test.each([
  ['receiver.internal', ['10.0.0.7', 'fd00::7']],
  ['Receiver', ['10.0.0.7']],
  ['localhost', ['127.0.0.1', '::1']],
  ['app.localhost', ['127.0.0.1', '::1']],
  ['commented.internal', null],
])('without DNS_SERVERS, %s is found in the hosts file, as the system would', async (name, addresses) => {
  const hosts =
    '10.0.0.7\treceiver.internal  receiver # ours\nfd00::7 receiver.internal\n# 10.0.0.8 commented.internal\n';
  const found = await (await openSystemLookup({ hosts }))(name);
  expect(found).toEqual(addresses ? { addresses } : { reason: 'has no address in DNS' });
  if (addresses) expect(dns.questions).toEqual([]);
});

test('with DNS_SERVERS, only these are asked', async () => {
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '10.0.0.7 quick.example');
  const lookUp = createHostLookup({ dnsServers: [dns.address] }, { hostsFile });
  expect(await lookUp('quick.example')).toEqual({ addresses: ['192.0.2.1', '2001:db8::1'] });
});
