import type { Domain } from '@posthorn/contract';
import { servesTrackingHost } from '@posthorn/domain/domains';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, getRecord, path, publish, verify } from './domain-client.js';

describe('the tracking host of a domain', () => {
  let t: TestApi;
  let dns: DnsServer;

  beforeAll(async () => {
    dns = await startDnsServer();
    t = await openTestApi({
      config: {
        dnsServers: [dns.address],
        trackingUrl: 'https://go.platform.example:8443/t',
        trackingCname: 'go.platform.example',
      },
      ownDatabase: 'it verifies domains with fixed names',
    });
  });
  afterAll(async () => {
    await t.close();
    await dns.close();
  });

  async function trackedDomain(name: string): Promise<Domain> {
    const domain = await createDomain(t, name);
    publish(
      dns,
      domain.records.filter(({ record }) => record !== 'tracking'),
    );
    expect((await verify(t, domain)).status).toBe('verified');
    const { body } = await t.api.patch(`${path}/${domain.id}`).set(t.auth).send({ track_clicks: true });
    return body;
  }

  /** Where the links of an email lead that is accepted now. */
  async function urlOfNewEmail({ name }: Domain): Promise<string> {
    const body = {
      to: ['jane@example.com'],
      from_: `shop@${name}`,
      subject: 'Hi',
      html: '<a href="https://a.example">a</a>',
    };
    const response = await t.api.post('/api/v1/emails').set(t.auth).send(body);
    expect([response.status, response.body.detail]).toEqual([202, undefined]);
    const row = await t.ctx.db('emails').where({ id: response.body.id }).first('tracking');
    return row.tracking.url;
  }

  test('links have it as soon as a check has found the CNAME record, and no longer once it is gone', async () => {
    const domain = await trackedDomain('shop.example');
    const record = getRecord(domain, 'tracking');
    expect(record).toMatchObject({
      type: 'CNAME',
      name: 'links.shop.example',
      value: 'go.platform.example',
      required: false,
      status: 'missing',
    });
    expect(await urlOfNewEmail(domain)).toBe('https://go.platform.example:8443/t');
    publish(dns, [record]);
    expect(getRecord(await verify(t, domain), 'tracking')).toMatchObject({
      status: 'verified',
      found: ['go.platform.example'],
    });
    expect(await urlOfNewEmail(domain)).toBe('https://links.shop.example:8443/t');
    dns.cname(record.name, 'elsewhere.example');
    const changed = await verify(t, domain);
    expect(changed.status).toBe('verified');
    expect(getRecord(changed, 'tracking')).toMatchObject({
      status: 'wrong',
      message: 'It points to a different host. Change it to go.platform.example.',
    });
    expect(await urlOfNewEmail(domain)).toBe('https://go.platform.example:8443/t');
  });

  test('a proxy may get a certificate for hosts that links lead to, also after the domain was deleted', async () => {
    const domain = await trackedDomain('news.example');
    const serves = (host: string) => servesTrackingHost(t.ctx, host);
    expect(await serves('go.platform.example')).toBe(true);
    expect(await serves('links.news.example')).toBe(false);
    publish(dns, [getRecord(domain, 'tracking')]);
    await verify(t, domain);
    expect(await serves('LINKS.news.example')).toBe(true);
    expect(await serves('news.example')).toBe(false);
    expect(await serves('')).toBe(false);
    expect((await t.api.delete(`${path}/${domain.id}`).set(t.auth)).status).toBe(200);
    expect(await serves('links.news.example')).toBe(true);
  });

  test('there is none if the operator has set no host for CNAME records', async () => {
    const other = await openTestApi({ config: { trackingUrl: 'https://go.platform.example' } });
    const { records } = await createDomain(other, 'shop.example');
    expect(records.map(({ type }) => type)).not.toContain('CNAME');
    await other.close();
  });
});
