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
      spf('a', 'mx', 'exists:x.test', `include:c.${domain.name}`);
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
