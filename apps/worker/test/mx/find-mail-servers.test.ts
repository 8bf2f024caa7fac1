import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { createMailDns } from '../../src/mx/dns-client.js';
import { findMailServers, type MailServersOptions } from '../../src/mx/find-mail-servers.js';

type Zone = {
  MX?:
    | ReadonlyArray<[number, string]>
    | 'timeout'
    | 'SERVFAIL'
    | 'NXDOMAIN'
    | ['REFUSED', ReadonlyArray<[number, string]>];
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
};
type HostZone = Zone | 'NXDOMAIN' | 'SERVFAIL' | 'timeout';
type Expected = {
  hosts?: string[];
  shuffled?: number;
  end?: string;
  enhanced?: string;
  says?: string;
  notAsked?: string[];
  then?: Expected;
};
type Case = Zone & {
  case: string;
  domain: string;
  hosts?: Record<string, HostZone>;
  targets?: Record<string, Zone>;
  searched?: Record<string, Zone>;
  expected: Expected;
};

const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, 'mail-server-cases.json'), 'utf8')) as {
  cases: Case[];
};

let dns: DnsServer;

beforeEach(async () => {
  dns = await startDnsServer();
});
afterEach(() => dns.close());

const FAULTS = { timeout: 'silence', SERVFAIL: 'SERVFAIL' } as const;

function serveZone(name: string, zone: HostZone): void {
  if (zone === 'NXDOMAIN') return;
  if (typeof zone === 'string') return void dns.fail(name, FAULTS[zone]);
  const { MX = [], A = [], AAAA = [], CNAME } = zone;
  // The name exists, even if it has no other records.
  if (MX !== 'NXDOMAIN') dns.txt(name, 'here');
  if (A.length + AAAA.length > 0) dns.addresses(name, ...A, ...AAAA);
  if (CNAME) dns.cname(name, CNAME);
  if (typeof MX === 'string') {
    if (MX !== 'NXDOMAIN') dns.fail(name, FAULTS[MX], { type: 'MX' });
    return;
  }
  const [first, ...then] = MX;
  const records = (first === 'REFUSED' ? then[0] : MX) as ReadonlyArray<[number, string]>;
  if (first === 'REFUSED') dns.fail(name, 'REFUSED', { type: 'MX', times: 1 });
  dns.mx(name, ...records.map(([priority, host]) => ({ priority, host })));
}

function serveCase(each: Case): void {
  for (const zones of [{ [each.domain]: each as HostZone }, each.targets, each.hosts, each.searched])
    for (const [name, zone] of Object.entries(zones ?? {})) serveZone(name, zone);
}

const OPTIONS: MailServersOptions = {
  ownNames: ['mail.posthorn.test'],
  ownAddresses: ['192.0.2.40'],
  hasIpv6Source: false,
  // Documentation networks are not public.
  allowedNetworks: ['192.0.2.0/24', '2001:db8::/32'],
};

const openDns = (now = () => 0) => createMailDns({ dnsServers: [dns.address] }, { now });

async function find(domain: string, options: Partial<MailServersOptions> = {}) {
  return findMailServers(openDns(), domain, { ...OPTIONS, ...options });
}

const listHosts = (found: Awaited<ReturnType<typeof find>>) =>
  'hosts' in found ? found.hosts.map(({ name }) => name) : found;

test.each(cases.map((each) => [each.case, each] as const))('the mail servers of a domain: %s', async (_, each) => {
  serveCase(each);
  let nowMs = 0;
  const client = openDns(() => nowMs);
  for (const expected of [each.expected, ...(each.expected.then ? [each.expected.then] : [])]) {
    const found = await findMailServers(client, each.domain, OPTIONS);
    const { hosts, shuffled = 0, end, enhanced, says = '', notAsked = [] } = expected;
    if (hosts) {
      const names = listHosts(found) as string[];
      const inOrder = [...names.slice(0, shuffled).sort(), ...names.slice(shuffled)];
      expect(inOrder).toEqual(hosts);
    } else {
      expect(found).toEqual({ end, text: expect.stringMatching(says), ...(enhanced && { enhanced }) });
    }
    for (const question of notAsked) expect(dns.questions.join('\n')).not.toContain(`${question} over`);
    nowMs += 10_000;
  }
});

test('a domain that has no MX records is its own mail server, with preference 0', async () => {
  dns.addresses('plain.example', '192.0.2.12');
  expect(await find('plain.example')).toEqual({
    hosts: [{ name: 'plain.example', preference: 0, addresses: [{ address: '192.0.2.12', family: 4 }] }],
    site: { key: expect.stringMatching(/^[0-9a-f]{16}$/), name: 'plain.example' },
  });
});

test('hosts with the same preference are tried in a random order', async () => {
  const hosts = ['a', 'b', 'c'].map((label) => ({ priority: 10, host: `${label}.many.example` }));
  dns.mx('many.example', ...hosts, { priority: 20, host: 'd.many.example' });
  for (const label of ['a', 'b', 'c', 'd']) dns.addresses(`${label}.many.example`, '192.0.2.21');
  const client = openDns();
  const counts = new Map<unknown, number>();
  for (let index = 0; index < 600; index += 1) {
    const names = listHosts(await findMailServers(client, 'many.example', OPTIONS)) as string[];
    counts.set(names[0], (counts.get(names[0]) ?? 0) + 1);
    expect(names[3]).toBe('d.many.example');
  }
  expect([...counts.keys()].sort()).toEqual(['a.many.example', 'b.many.example', 'c.many.example']);
  for (const count of counts.values()) expect(count).toBeGreaterThan(120);
});

describe('addresses', () => {
  beforeEach(() => dns.mx('a.example', { priority: 10, host: 'mx.a.example' }));

  const findAddresses = async (options?: Partial<MailServersOptions>) => {
    const found = await find('a.example', options);
    return 'hosts' in found ? found.hosts[0]?.addresses.map(({ address }) => address) : found;
  };

  test('IPv6 addresses are used only with an IPv6 source, and then come first', async () => {
    dns.addresses('mx.a.example', '192.0.2.1', '2001:db8::1');
    expect(await findAddresses()).toEqual(['192.0.2.1']);
    expect(await findAddresses({ hasIpv6Source: true })).toEqual(['2001:db8::1', '192.0.2.1']);
  });

  test('without an IPv6 source, nobody asks for IPv6 addresses of a host that has others', async () => {
    dns.addresses('mx.a.example', '192.0.2.1', '2001:db8::1');
    await findAddresses();
    expect(dns.questions).toEqual(['MX a.example over udp', 'A mx.a.example over udp']);
  });

  test.each([
    ['10.0.0.5', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'CGNAT'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['198.51.100.1', 'reserved'],
    ['168.63.129.16', 'metadata'],
  ])('%s is never connected to, and public addresses of the same host are', async (address, description) => {
    dns.addresses('mx.a.example', address);
    expect(await findAddresses()).toEqual({
      end: 'deferred',
      text: expect.stringMatching(`^All addresses of the mail servers of a\\.example are private: .*${description}`),
    });
    dns.addresses('mx.a.example', address, '192.0.2.1');
    expect(await findAddresses()).toEqual(['192.0.2.1']);
  });

  test('an allowed network may be private or loopback', async () => {
    dns.addresses('mx.a.example', '10.0.0.5', '127.0.0.9');
    expect(await findAddresses({ allowedNetworks: ['10.0.0.0/8', '127.0.0.0/8'] })).toEqual(['10.0.0.5', '127.0.0.9']);
  });

  test('0.0.0.0 is this machine', async () => {
    dns.addresses('mx.a.example', '0.0.0.0');
    expect(await findAddresses()).toMatchObject({ end: 'bounced', enhanced: '5.4.6' });
  });

  test('an address of ours is connected to only if it is allowed by itself', async () => {
    dns.addresses('mx.a.example', '127.0.0.40', '127.0.0.41');
    const ours = { ownAddresses: ['127.0.0.40'] };
    expect(await findAddresses({ ...ours, allowedNetworks: ['127.0.0.0/8'] })).toMatchObject({ enhanced: '5.4.6' });
    expect(await findAddresses({ ...ours, allowedNetworks: ['127.0.0.40/32', '127.0.0.41/32'] })).toEqual([
      '127.0.0.40',
      '127.0.0.41',
    ]);
  });

  test('an address of ours that is written as IPv6 is ours', async () => {
    dns.addresses('mx.a.example', '::ffff:192.0.2.40');
    expect(await findAddresses()).toMatchObject({ end: 'bounced', enhanced: '5.4.6' });
  });

  test('a host is used although one of its two look-ups failed', async () => {
    dns.addresses('mx.a.example', '192.0.2.1');
    dns.fail('mx.a.example', 'SERVFAIL', { type: 'AAAA' });
    expect(await findAddresses({ hasIpv6Source: true })).toEqual(['192.0.2.1']);
    dns.addresses('mx.a.example', '2001:db8::1');
    dns.heal();
    dns.fail('mx.a.example', 'SERVFAIL', { type: 'A' });
    expect(await findAddresses({ hasIpv6Source: true })).toEqual(['2001:db8::1']);
    expect(await findAddresses()).toMatchObject({ end: 'deferred', text: expect.stringContaining('SERVFAIL') });
  });
});

describe('ourselves', () => {
  test('by any address, with all hosts of the same or a higher number', async () => {
    const hosts = ['mx1', 'mx2', 'mx3'].map((label, index) => ({ priority: index * 10, host: `${label}.a.example` }));
    dns.mx('a.example', ...hosts, { priority: 10, host: 'mx4.a.example' });
    dns.addresses('mx1.a.example', '192.0.2.1');
    dns.addresses('mx2.a.example', '192.0.2.2', '192.0.2.40');
    dns.addresses('mx3.a.example', '192.0.2.3');
    dns.addresses('mx4.a.example', '192.0.2.4');
    expect(listHosts(await find('a.example'))).toEqual(['mx1.a.example']);
  });

  test('by name, whatever its case, and as a domain without MX records', async () => {
    dns.mx('a.example', { priority: 10, host: 'MAIL.posthorn.test.' });
    dns.addresses('mail.posthorn.test', '192.0.2.1');
    for (const domain of ['a.example', 'mail.posthorn.test'])
      expect(await find(domain)).toEqual({
        end: 'bounced',
        enhanced: '5.4.6',
        text: `Mail for ${domain} would come back to us: mail.posthorn.test is our own name`,
      });
  });
});

describe('names', () => {
  test('of any script are looked up as A-labels', async () => {
    dns.mx('xn--bcher-kva.example', { priority: 10, host: 'mx.xn--bcher-kva.example' });
    dns.addresses('mx.xn--bcher-kva.example', '192.0.2.1');
    expect(listHosts(await find('Bücher.Example'))).toEqual(['mx.xn--bcher-kva.example']);
  });

  test.each(['[192.0.2.1]', '192.0.2.1', 'a..example', ''])('%s cannot have mail servers', async (domain) => {
    expect(await find(domain)).toMatchObject({ end: 'bounced', enhanced: '5.1.2' });
    expect(dns.questions).toEqual([]);
  });
});

describe('the site', () => {
  const findSite = async (domain: string) => {
    const found = await find(domain);
    return 'site' in found ? found.site : found;
  };

  test('is the set of MX hosts, whatever their numbers, order and case', async () => {
    const [mx1, mx2] = ['mx1.big.co.uk', 'mx2.big.co.uk'];
    for (const host of [mx1, mx2, 'mx3.big.co.uk']) dns.addresses(host, '192.0.2.1');
    dns.mx('a.example', { priority: 10, host: mx1 }, { priority: 20, host: mx2 });
    dns.mx('b.example', { priority: 5, host: 'MX2.big.co.uk' }, { priority: 5, host: mx1 });
    dns.mx('c.example', { priority: 10, host: mx1 }, { priority: 20, host: 'mx3.big.co.uk' });
    const [a, b, c] = await Promise.all(['a.example', 'b.example', 'c.example'].map(findSite));
    expect(a).toEqual({ key: expect.any(String), name: 'big.co.uk' });
    expect(b).toEqual(a);
    expect(c).not.toEqual(a);
  });

  test('does not change while one of its hosts cannot be looked up', async () => {
    dns.mx('a.example', { priority: 10, host: 'mx1.a.example' }, { priority: 20, host: 'mx2.a.example' });
    dns.addresses('mx1.a.example', '192.0.2.1');
    dns.addresses('mx2.a.example', '192.0.2.2');
    const before = await findSite('a.example');
    dns.fail('mx1.a.example', 'SERVFAIL');
    expect(await findSite('a.example')).toEqual(before);
  });
});
