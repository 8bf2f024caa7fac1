import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { checkWebhookUrl, createSsrfGuard, normalizeWebhookUrl } from '@posthorn/webhooks';

let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer();
  dns.addresses('public.example', '8.8.8.8', '2606:4700::1111');
  dns.addresses('v6.example', '2606:4700::1111');
  dns.addresses('private.example', '10.0.0.5');
  dns.addresses('mixed.example', '8.8.8.8', '192.168.1.1');
  dns.addresses('mixed-v6.example', '8.8.8.8', 'fd00::1');
  dns.addresses('mapped.example', '::ffff:169.254.169.254');
  dns.addresses('wild.127.0.0.1.example', '127.0.0.1');
  dns.addresses('xn--bcher-kva.example', '8.8.8.8');
  dns.cname('alias.example', 'private.example');
  dns.txt('empty.example', 'no addresses');
  dns.fail('broken.example', 'SERVFAIL');
});

afterAll(() => dns.close());

const check = (url: string, webhookAllowedNetworks: string[] = []) =>
  checkWebhookUrl(createSsrfGuard({ dnsServers: [dns.address], webhookAllowedNetworks }), url);

const leadsTo = (address: string, kind: string) =>
  `leads to ${address}, which is ${kind}. Use a URL that can be reached from the internet`;

const LOOPBACK = leadsTo('127.0.0.1', 'a loopback address');
const METADATA = leadsTo('169.254.169.254', 'a link-local address');
const PRIVATE = 'a private address';
const RESERVED = 'a reserved address';

describe('an address that is not public is refused:', () => {
  test.each([
    // Spellings of 127.0.0.1 that URLs accept
    ['127.0.0.1', LOOPBACK],
    ['127.0.0.1.', LOOPBACK],
    ['127.1', LOOPBACK],
    ['127.0.1', LOOPBACK],
    ['0x7f.1', LOOPBACK],
    ['0x7F000001', LOOPBACK],
    ['0x7f.0x0.0x0.0x1', LOOPBACK],
    ['2130706433', LOOPBACK],
    ['017700000001', LOOPBACK],
    ['0177.0.0.01', LOOPBACK],
    ['１２７.０.０.１', LOOPBACK],
    ['127。0。0。1', LOOPBACK],
    ['①②⑦.0.0.1', LOOPBACK],
    ['%31%32%37.0.0.1', LOOPBACK],
    ['127｡0｡0｡1', LOOPBACK],
    ['127.0.0.01', LOOPBACK],
    ['0x7f.0.0.1.', LOOPBACK],
    ['00000000177.1', LOOPBACK],
    // A soft hyphen and a zero-width space, which URLs leave out
    ['\u00ad127.0.0.1', LOOPBACK],
    ['127.0.0.1\u200b', LOOPBACK],
    // A backslash that begins the path
    ['127.0.0.1\\@8.8.8.8', LOOPBACK],
    ['[::ffff:127.0.0.1]', LOOPBACK],
    ['[::ffff:7f00:1]', LOOPBACK],
    ['[0:0:0:0:0:ffff:127.0.0.1]', LOOPBACK],
    ['127.255.255.254', leadsTo('127.255.255.254', 'a loopback address')],
    ['[::1]', leadsTo('::1', 'a loopback address')],
    ['[0:0:0:0:0:0:0:1]', leadsTo('::1', 'a loopback address')],
    ['0', leadsTo('0.0.0.0', 'an unspecified address')],
    ['0.0.0.0', leadsTo('0.0.0.0', 'an unspecified address')],
    ['[::]', leadsTo('::', 'an unspecified address')],
    // Private networks
    ['10.0.0.5', leadsTo('10.0.0.5', PRIVATE)],
    ['0xa000005', leadsTo('10.0.0.5', PRIVATE)],
    ['167772165', leadsTo('10.0.0.5', PRIVATE)],
    ['172.16.0.1', leadsTo('172.16.0.1', PRIVATE)],
    ['172.31.255.255', leadsTo('172.31.255.255', PRIVATE)],
    ['192.168.0.1', leadsTo('192.168.0.1', PRIVATE)],
    ['[::ffff:192.168.0.1]', leadsTo('192.168.0.1', PRIVATE)],
    ['[fc00::1]', leadsTo('fc00::1', PRIVATE)],
    ['[fd12:3456::1]', leadsTo('fd12:3456::1', PRIVATE)],
    ['[fec0::1]', leadsTo('fec0::1', PRIVATE)],
    ['100.64.0.1', leadsTo('100.64.0.1', 'a private address of a network provider (CGNAT)')],
    ['100.127.255.255', leadsTo('100.127.255.255', 'a private address of a network provider (CGNAT)')],
    ['169.254.1.1', leadsTo('169.254.1.1', 'a link-local address')],
    ['[fe80::1]', leadsTo('fe80::1', 'a link-local address')],
    ['[febf::1]', leadsTo('febf::1', 'a link-local address')],
    // Metadata services of clouds
    ['169.254.169.254', METADATA],
    ['2852039166', METADATA],
    ['0xa9fea9fe', METADATA],
    ['[::ffff:a9fe:a9fe]', METADATA],
    ['[fd00:ec2::254]', leadsTo('fd00:ec2::254', PRIVATE)],
    ['100.100.100.200', leadsTo('100.100.100.200', 'a private address of a network provider (CGNAT)')],
    ['192.0.0.192', leadsTo('192.0.0.192', RESERVED)],
    ['168.63.129.16', leadsTo('168.63.129.16', "the address of a cloud provider's metadata service")],
    ['[::ffff:168.63.129.16]', leadsTo('168.63.129.16', "the address of a cloud provider's metadata service")],
    // IPv4 addresses embedded in IPv6
    ['[::127.0.0.1]', leadsTo('::7f00:1', RESERVED)],
    ['[::a9fe:a9fe]', leadsTo('::a9fe:a9fe', RESERVED)],
    ['[::ffff:0:127.0.0.1]', leadsTo('::ffff:0:7f00:1', 'an address that stands for an IPv4 address')],
    ['[64:ff9b::127.0.0.1]', leadsTo('64:ff9b::7f00:1', 'a NAT64 address')],
    ['[64:ff9b::8.8.8.8]', leadsTo('64:ff9b::808:808', 'a NAT64 address')],
    ['[64:ff9b:1::10.0.0.5]', leadsTo('64:ff9b:1::a00:5', 'a NAT64 address')],
    ['[::ffff:0:0]', leadsTo('0.0.0.0', 'an unspecified address')],
    ['[64:ff9b::a9fe:a9fe]', leadsTo('64:ff9b::a9fe:a9fe', 'a NAT64 address')],
    ['[2002:a9fe:a9fe::1]', leadsTo('2002:a9fe:a9fe::1', 'a 6to4 address')],
    ['[2002:7f00:1::]', leadsTo('2002:7f00:1::', 'a 6to4 address')],
    ['[2001:0:4136:e378:8000:63bf:80ff:fffe]', leadsTo('2001:0:4136:e378:8000:63bf:80ff:fffe', 'a Teredo address')],
    // Other special networks
    ['255.255.255.255', leadsTo('255.255.255.255', 'a broadcast address')],
    ['224.0.0.1', leadsTo('224.0.0.1', 'a multicast address')],
    ['[ff02::1]', leadsTo('ff02::1', 'a multicast address')],
    ['192.0.2.1', leadsTo('192.0.2.1', RESERVED)],
    ['198.18.0.1', leadsTo('198.18.0.1', RESERVED)],
    ['198.51.100.1', leadsTo('198.51.100.1', RESERVED)],
    ['203.0.113.1', leadsTo('203.0.113.1', RESERVED)],
    ['192.88.99.1', leadsTo('192.88.99.1', RESERVED)],
    ['240.0.0.1', leadsTo('240.0.0.1', RESERVED)],
    ['[2001:db8::1]', leadsTo('2001:db8::1', RESERVED)],
    ['[3fff::1]', leadsTo('3fff::1', RESERVED)],
    ['[5f00::1]', leadsTo('5f00::1', RESERVED)],
    ['[100::1]', leadsTo('100::1', RESERVED)],
    ['[4000::1]', leadsTo('4000::1', RESERVED)],
  ])('%s', async (host, reason) => {
    expect(await check(`https://${host}:8443/hook?a=b`)).toBe(reason);
  });
});

describe('a name is refused because of its addresses:', () => {
  test.each([
    ['private.example', leadsTo('10.0.0.5', PRIVATE)],
    ['PRIVATE.example.', leadsTo('10.0.0.5', PRIVATE)],
    ['alias.example', leadsTo('10.0.0.5', PRIVATE)],
    ['mixed.example', leadsTo('192.168.1.1', PRIVATE)],
    ['mixed-v6.example', leadsTo('fd00::1', PRIVATE)],
    ['mapped.example', METADATA],
    ['wild.127.0.0.1.example', LOOPBACK],
    ['missing.example', 'has no address in DNS'],
    ['empty.example', 'has no address in DNS'],
    [
      'broken.example',
      'could not be looked up in DNS: the resolver got no valid answer from the domain’s servers (SERVFAIL)',
    ],
    [
      'two..example',
      'could not be looked up in DNS: the name has an empty part, or a part with more than 63 characters',
    ],
  ])('%s', async (host, reason) => {
    expect(await check(`https://${host}/hook`)).toBe(reason);
  });

  test.each(['localhost', 'LOCALHOST', 'ｌocalhost'])('%s, which the system knows', async (host) => {
    const guard = createSsrfGuard({ dnsServers: [], webhookAllowedNetworks: [] });
    const reason = await checkWebhookUrl(guard, `https://${host}/hook`);
    expect(reason).toMatch(/^leads to (127\.0\.0\.1|::1), which is a loopback address/);
  });

  test('localhost with a dot, which only some systems know', async () => {
    const guard = createSsrfGuard({ dnsServers: [], webhookAllowedNetworks: [] });
    expect(await checkWebhookUrl(guard, 'https://localhost./hook')).toMatch(/^(leads to|has no address|could not be)/);
  });
});

describe('a public URL is allowed:', () => {
  test.each([
    'https://8.8.8.8/hook',
    'https://134744072/hook',
    'https://[2606:4700::1111]:8443/hook',
    'https://[::ffff:8.8.8.8]/',
    'https://public.example',
    'HTTPS://Public.Example:25/hook?token=a%20b',
    'https://v6.example/hook',
    'https://v6.example/@name?to=a@b',
    'https://bücher.example/hook',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://11.0.0.1/',
    // The backslash ends the host, for us and when connecting.
    'https://8.8.8.8\\@127.0.0.1/',
  ])('%s', async (url) => {
    expect(await check(url)).toBeNull();
  });
});

describe('a URL is refused because of its form:', () => {
  test.each([
    ['http://public.example/', 'must begin with https://'],
    ['http://10.0.0.5/', 'must begin with https://'],
    ['ftp://public.example/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['https:public.example', 'must begin with https://'],
    ['//public.example/', 'must begin with https://'],
    ['public.example', 'must begin with https://'],
    ['', 'must begin with https://'],
    ['https://', 'is not a valid URL'],
    ['https://public.example:99999/', 'is not a valid URL'],
    ['https://1.2.3.4.5/', 'is not a valid URL'],
    ['https://256.1.1.1/', 'is not a valid URL'],
    ['https://[fe80::1%25eth0]/', 'is not a valid URL'],
    ['https://[fe80::1%eth0]/', 'is not a valid URL'],
    ['https://127.0.0.1%00.public.example/', 'is not a valid URL'],
    ['https://127.0.0.1%2f.public.example/', 'is not a valid URL'],
    ['https://8.8.8.8%40127.0.0.1/', 'is not a valid URL'],
    ['https://127.0.0.1:80:443/', 'is not a valid URL'],
    ['https:\\\\127.0.0.1/', 'must begin with https://'],
    ['https:/127.0.0.1/', 'must begin with https://'],
    ['https://8.8.8.8:@127.0.0.1/', 'must not contain a user name or a password'],
    ['https://@public.example/', 'must not contain a user name or a password'],
    ['https://:@public.example/', 'must not contain a user name or a password'],
    ['https:///@public.example/', 'must not contain a user name or a password'],
    ['https://public.example:0/', 'must not have the port 0'],
    ['https://public.example:00/', 'must not have the port 0'],
    [`https://public.example/${'é'.repeat(330)}`, 'has 2,003 characters when it is encoded; the limit is 2,000'],
    ['https://user@public.example/', 'must not contain a user name or a password'],
    ['https://user:secret@public.example/', 'must not contain a user name or a password'],
    ['https://public.example@10.0.0.5/', 'must not contain a user name or a password'],
    ['https://public.example/#top', 'must not contain a fragment (#)'],
    ['https://public.example/#', 'must not contain a fragment (#)'],
    [' https://public.example/', 'must not contain spaces, line breaks or control characters'],
    ['https://public.example/a b', 'must not contain spaces, line breaks or control characters'],
    ['https://public.exa\nmple/', 'must not contain spaces, line breaks or control characters'],
    ['https://public.example/\0', 'must not contain spaces, line breaks or control characters'],
    [`https://public.example/${'a'.repeat(1_978)}`, 'has 2,001 characters; the limit is 2,000'],
  ])('%j', async (url, reason) => {
    expect(await check(url)).toBe(reason);
  });

  test('but not if it has 2,000 characters', async () => {
    expect(await check(`https://public.example/${'a'.repeat(1_977)}`)).toBeNull();
  });
});

describe('an allowed network', () => {
  test.each([
    ['https://10.0.0.5/', '10.0.0.0/8'],
    ['http://10.0.0.5/', '10.0.0.0/8'],
    ['http://private.example/', '10.0.0.5/32'],
    ['http://[fd00::1]/', 'fd00::/8'],
    ['http://[::ffff:10.0.0.5]/', '10.0.0.0/8'],
    ['http://10.0.0.5/', '::ffff:10.0.0.0/104'],
    ['http://8.8.8.8/', '8.8.8.8/32'],
    ['https://mixed.example/', '192.168.0.0/16'],
    ['https://[64:ff9b::8.8.8.8]/', '64:ff9b::/96'],
    ['https://[2002:808:808::]/', '2002::/16'],
  ])('lets webhooks reach %s with %s', async (url, network) => {
    expect(await check(url, ['172.20.0.0/16', network])).toBeNull();
  });

  test.each([
    ['https://10.1.0.5/', '10.0.0.0/16', leadsTo('10.1.0.5', PRIVATE)],
    ['http://mixed.example/', '192.168.0.0/16', 'must begin with https://'],
    ['http://public.example/', '10.0.0.0/8', 'must begin with https://'],
    ['https://[fd00::1]/', '0.0.0.0/0', leadsTo('fd00::1', PRIVATE)],
    ['https://[64:ff9b::10.0.0.5]/', '64:ff9b::/96', leadsTo('64:ff9b::a00:5', 'a NAT64 address')],
    ['https://[2002:a00:5::]/', '2002::/16', leadsTo('2002:a00:5::', 'a 6to4 address')],
    ['https://[2001:0:1:2:3:4:f5ff:fffa]/', '2001::/32', leadsTo('2001:0:1:2:3:4:f5ff:fffa', 'a Teredo address')],
  ])('does not let webhooks reach %s with %s', async (url, network, reason) => {
    expect(await check(url, [network])).toBe(reason);
  });
});

test.each([
  ['https://public.example', 'https://public.example'],
  ['https://public.example/', 'https://public.example/'],
  ['HTTPS://Public.Example:443/Hook?A=b%20c', 'https://public.example/Hook?A=b%20c'],
  ['https://public.example?a=b', 'https://public.example/?a=b'],
  ['https://８.８.８.８/hook', 'https://8.8.8.8/hook'],
  ['https://bücher.example/é', 'https://xn--bcher-kva.example/%C3%A9'],
  ['https:///public.example/hook', 'https://public.example/hook'],
])('%s is stored as %s', (url, stored) => {
  expect(normalizeWebhookUrl(url)).toBe(stored);
});
