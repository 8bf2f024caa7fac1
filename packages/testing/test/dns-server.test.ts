import { Resolver } from 'node:dns/promises';
import { type DnsServer, startDnsServer } from '@posthorn/testing';

describe('the test DNS server', () => {
  let dns: DnsServer;
  let resolver: Resolver;

  beforeAll(async () => {
    dns = await startDnsServer();
    resolver = new Resolver({ timeout: 250, tries: 1 });
    resolver.setServers([dns.address]);
  });
  afterAll(() => dns.close());
  beforeEach(() => {
    dns.clear();
    dns.heal();
  });

  test('answers TXT queries with the given strings, and splits long ones', async () => {
    dns.txt('a.test', ['one', 'two'], 'x'.repeat(300));
    expect(await resolver.resolveTxt('A.test')).toEqual([
      ['one', 'two'],
      ['x'.repeat(255), 'x'.repeat(45)],
    ]);
  });

  test('answers MX queries', async () => {
    dns.mx('a.test', { priority: 10, host: 'mx.a.test' });
    expect(await resolver.resolveMx('a.test')).toEqual([
      expect.objectContaining({ priority: 10, exchange: 'mx.a.test' }),
    ]);
  });

  test('follows CNAME records', async () => {
    dns.cname('a.test', 'b.test');
    dns.cname('b.test', 'c.test');
    dns.txt('c.test', 'there');
    expect(await resolver.resolveTxt('a.test')).toEqual([['there']]);
  });

  test('distinguishes a name without records of the requested type from a nonexistent name', async () => {
    dns.txt('sub.a.test', 'x');
    await expect(resolver.resolveMx('sub.a.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolveTxt('a.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolveTxt('b.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('fails in the configured way', async () => {
    dns.fail('a.test', 'SERVFAIL');
    dns.fail('b.test', 'REFUSED');
    dns.fail('c.test', 'silence');
    await expect(resolver.resolveTxt('a.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    await expect(resolver.resolveTxt('b.test')).rejects.toMatchObject({ code: 'EREFUSED' });
    await expect(resolver.resolveTxt('c.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  test('uses TCP for an answer that is too long for UDP', async () => {
    const values = Array.from({ length: 8 }, (_, index) => `${index}${'x'.repeat(400)}`);
    dns.txt('long.test', ...values);
    const found = await resolver.resolveTxt('long.test');
    expect(found.map((strings) => strings.join(''))).toEqual(values);
    expect(dns.questions).toContain('TXT long.test over tcp');
  });
});
