import type { Domain, DomainRecord } from '@posthorn/contract';
import { clearInProcess } from '@posthorn/domain/throttles';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { domainRequests } from '../../src/domains/routes.js';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, getRecord, publish, verify } from './domain-client.js';

describe('records as DNS providers publish them', () => {
  let t: TestApi;
  let dns: DnsServer;
  let domain: Domain;

  beforeAll(async () => {
    dns = await startDnsServer();
    t = await openTestApi({
      config: {
        platformSenderDomain: 'mail.posthorn.test',
        dnsServers: [dns.address],
        trackingUrl: 'https://links.posthorn.test/t',
        trackingCname: 'links.posthorn.test',
      },
    });
  });
  beforeEach(async () => {
    dns.clear();
    dns.heal();
    clearInProcess(t.ctx, domainRequests, t.workspace.id);
    domain = await createDomain(t, newDomainName('provider'));
    publish(dns, domain.records);
    dns.txt('mail.posthorn.test', 'v=spf1 ip4:192.0.2.1 ~all');
    dns.addresses('links.posthorn.test', '192.0.2.80');
  });
  afterAll(async () => {
    await t.close();
    await dns.close();
  });

  const record = (kind: DomainRecord['record']) => getRecord(domain, kind);
  const checked = async (kind: DomainRecord['record']) => getRecord(await verify(t, domain), kind);
  const spf = (...terms: string[]) =>
    dns.txt(record('spf').name, `v=spf1 ${terms.join(' ')} include:mail.posthorn.test ~all`);

  describe('an SPF record that receivers reject as a whole', () => {
    test('needs more than ten lookups, counting those of included records', async () => {
      const names = Array.from({ length: 10 }, (_, n) => `b${n}.${domain.name}`);
      for (const name of names) dns.txt(name, 'v=spf1 ip4:192.0.2.1 -all');
      const includes = names.map((name) => `include:${name}`);
      spf(...includes.slice(0, 9));
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
      spf(...includes);
      const tooMany = { status: 'wrong', message: expect.stringContaining('more than 10 DNS lookups') };
      expect(await checked('spf')).toMatchObject(tooMany);
      dns.txt(`a.${domain.name}`, `v=spf1 ${includes.join(' ')} -all`);
      spf(`include:a.${domain.name}`);
      expect(await checked('spf')).toMatchObject(tooMany);
      dns.txt(`c.${domain.name}`, 'v=spf1 a mx -all');
      dns.addresses(record('spf').name, '192.0.2.1');
      dns.addresses(`c.${domain.name}`, '192.0.2.1');
      spf('a', 'mx', 'exists:x.test', `include:c.${domain.name}`);
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
    });

    test('leads to more than two names without hosts, or to more than ten MX hosts', async () => {
      const names = Array.from({ length: 3 }, (_, n) => `n${n}.${domain.name}`);
      const terms = names.map((name) => `a:${name}`);
      spf(...terms);
      expect(await checked('spf')).toMatchObject({
        status: 'wrong',
        message: expect.stringContaining(`names without hosts: ${names.join(', ')}.`),
      });
      dns.txt(`a.${domain.name}`, `v=spf1 mx:${names[1]} exists:${names[2]} -all`);
      spf(`a:${names[0]}/24`, `include:a.${domain.name}`);
      expect((await checked('spf')).message).toContain('names without hosts');
      spf(...terms.slice(0, 2), 'a:%{d}');
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
      dns.addresses(names[2] ?? '', '2001:db8::1');
      spf(...terms);
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
      const hosts = Array.from({ length: 11 }, (_, n) => ({ priority: n, host: `mx${n}.${domain.name}` }));
      dns.mx(names[0] ?? '', ...hosts);
      spf(`mx:${names[0]}`);
      expect((await checked('spf')).message).toContain('leads to 11 MX hosts; the limit is 10');
      dns.mx(names[0] ?? '', ...hosts.slice(1));
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
    });

    test('includes a name with two records, or one that is not valid', async () => {
      const name = `a.${domain.name}`;
      spf(`include:${name}`);
      dns.txt(name, 'v=spf1 -all', 'v=spf1 ~all');
      expect((await checked('spf')).message).toContain(`leads to ${name}, which has 2 SPF records`);
      dns.txt(name, 'v=spf1 ipv4:192.0.2.1 -all');
      expect((await checked('spf')).message).toContain(`leads to ${name}, which has an SPF record that is not valid`);
      dns.txt(name, 'v=spf1  ip4:192.0.2.1 -all');
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
    });

    test('has terms that receivers do not read, which change nothing', async () => {
      const dead = `include:nowhere.${domain.name}`;
      dns.txt(record('spf').name, `v=spf1 include:mail.posthorn.test redirect=nowhere.${domain.name} ~all ${dead}`);
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
    });

    test('includes a name without a record, or itself', async () => {
      dns.txt(`a.${domain.name}`, `v=spf1 include:nowhere.${domain.name} -all`);
      spf(`include:a.${domain.name}`);
      const leads = `The term with a.${domain.name} leads to nowhere.${domain.name}, which has no SPF record`;
      expect((await checked('spf')).message).toContain(leads);
      spf(`include:nowhere.${domain.name}`);
      expect(await checked('spf')).toMatchObject({
        status: 'wrong',
        message: expect.stringContaining('no SPF record'),
      });
      spf(`include:${record('spf').name}`);
      expect(await checked('spf')).toMatchObject({
        status: 'wrong',
        message: expect.stringContaining('includes itself'),
      });
      dns.fail(`slow.${domain.name}`, 'SERVFAIL');
      spf(`include:slow.${domain.name}`);
      expect(await checked('spf')).toMatchObject({ status: 'verified' });
    });
  });

  test('a tracking host may be an alias of an alias, or have the addresses of ours', async () => {
    const { name } = record('tracking');
    dns.cname(name, `hop.${domain.name}`);
    dns.cname(`hop.${domain.name}`, 'links.posthorn.test');
    expect(await checked('tracking')).toMatchObject({ status: 'verified' });
    dns.clear();
    publish(
      dns,
      domain.records.filter((each) => each.record !== 'tracking'),
    );
    dns.addresses('links.posthorn.test', '192.0.2.80');
    dns.addresses(name, '192.0.2.80');
    expect(await checked('tracking')).toMatchObject({ status: 'verified' });
    dns.addresses(name, '198.51.100.1');
    expect(await checked('tracking')).toMatchObject({
      status: 'wrong',
      message: expect.stringContaining('proxy (CDN)'),
    });
  });

  test('a name or value to which the provider added the zone again is named', async () => {
    const { name, value } = record('ownership');
    dns.txt(name);
    dns.txt(`${name}.${domain.name}`, value);
    expect((await checked('ownership')).message).toContain(`there is one at ${name}.${domain.name}`);
    const mx = record('return_path_mx');
    dns.mx(mx.name, { priority: 10, host: `${mx.value}.${domain.name}` });
    expect((await checked('return_path_mx')).message).toContain(`Enter the value with a dot at the end: ${mx.value}.`);
  });

  test('a zone below the organizational domain that the provider added again is named', async () => {
    const below = await createDomain(t, `mail.${domain.name}`);
    const { name, value } = getRecord(below, 'dkim');
    dns.txt(`${name}.mail.${domain.name}`, value);
    const { message } = getRecord(await verify(t, below), 'dkim');
    expect(message).toContain(`there is one at ${name}.mail.${domain.name}`);
    expect(message).toContain(`Enter the name without .mail.${domain.name}.`);
  });

  test('a return path may lead to a host of one’s own with our address', async () => {
    const { name, value } = record('return_path_mx');
    dns.addresses(value, '192.0.2.25');
    dns.addresses(`mx.${domain.name}`, '192.0.2.25');
    dns.mx(name, { priority: 10, host: `mx.${domain.name}` });
    expect(await checked('return_path_mx')).toMatchObject({ status: 'verified' });
    dns.mx(name, { priority: 10, host: value }, { priority: 10, host: `mx.${domain.name}` });
    expect(await checked('return_path_mx')).toMatchObject({ status: 'verified' });
    dns.addresses(`mx.${domain.name}`, '198.51.100.1');
    dns.mx(name, { priority: 10, host: `mx.${domain.name}` });
    expect(await checked('return_path_mx')).toMatchObject({
      status: 'wrong',
      message: expect.stringContaining(`Change it to ${value}`),
    });
  });

  test('backslashes before semicolons are named, and DMARC without p counts as none if reports go somewhere', async () => {
    const { name, value } = record('dkim');
    dns.txt(name, value.replaceAll(';', '\\;'));
    expect((await checked('dkim')).message).toContain('without backslashes');
    dns.txt(record('dmarc').name, 'v=DMARC1; rua=mailto:a@x.test');
    expect(await checked('dmarc')).toMatchObject({ status: 'verified' });
    dns.txt(record('dmarc').name, 'v=DMARC1; pct=10');
    expect(await checked('dmarc')).toMatchObject({ status: 'wrong' });
  });
});
