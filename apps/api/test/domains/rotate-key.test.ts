import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, path, publish, verify } from './domain-client.js';

describe('POST /api/v1/domains/{id}/rotate-key', () => {
  let t: TestApi;
  let dns: DnsServer;

  beforeAll(async () => {
    dns = await startDnsServer();
    t = await openTestApi({ config: { dnsServers: [dns.address] } });
  });
  afterAll(async () => {
    await t.close();
    await dns.close();
  });

  test('lists both records, and activates the new key once its record is in DNS', async () => {
    const domain = await createDomain(t, newDomainName('rotate'));
    publish(dns, domain.records);
    await verify(t, domain);
    const getKeys = ({ records }: typeof domain) =>
      records
        .filter(({ record }) => record === 'dkim')
        .map(({ name, key, status, required }) => ({ name, key, status, required }));
    const [old] = getKeys(domain);

    const rotated = await t.api.post(`${path}/${domain.id}/rotate-key`).set(t.auth);
    expect([rotated.status, rotated.body.status]).toEqual([200, 'verified']);
    const [active, pending] = getKeys(rotated.body);
    expect(active).toEqual({ ...old, status: 'verified' });
    expect(pending).toMatchObject({ key: 'pending', status: 'pending', required: false });
    expect(pending?.name).not.toBe(old?.name);
    const again = await t.api.post(`${path}/${domain.id}/rotate-key`).set(t.auth);
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);

    expect(getKeys(await verify(t, domain))[1]).toEqual({ ...pending, status: 'missing' });
    publish(dns, rotated.body.records);
    expect(getKeys(await verify(t, domain))).toEqual([
      { ...pending, key: 'active', status: 'verified', required: true },
      { ...old, key: 'retired', status: 'verified', required: false },
    ]);
    expect((await t.api.post(`${path}/${domain.id}/rotate-key`).set(t.auth)).status).toBe(200);
  });
});
