import type { Event } from '@posthorn/contract';
import { DAY_MS } from '@posthorn/platform/values';
import { type DnsServer, startDnsServer, until } from '@posthorn/testing';
import { createDomain, publish, verify } from '../domains/domain-client.js';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let dns: DnsServer;

beforeEach(async () => {
  dns = await startDnsServer();
  t = await openTestApi({ config: { platformSenderDomain: 'platform.example', dnsServers: [dns.address] } });
});

afterEach(async () => {
  await t.close();
  await dns.close();
});

async function events(): Promise<Event[]> {
  return (await t.api.get('/api/v1/events').set(t.auth).expect(200)).body.data;
}

test('verifying, losing and verifying a domain again is an event each time, and no other check is', async () => {
  const name = newDomainName('acme');
  const domain = await createDomain(t, name);
  await verify(t, domain);
  publish(dns, domain.records);
  await verify(t, domain);
  await verify(t, domain);

  dns.clear();
  expect((await verify(t, domain)).status).toBe('verified');
  await t.ctx
    .db('sending_domains')
    .where({ id: domain.id })
    .update({ failing_since: new Date(Date.now() - DAY_MS) });
  expect((await verify(t, domain)).status).toBe('withdrawn');
  await verify(t, domain);

  publish(dns, domain.records);
  expect((await verify(t, domain)).status).toBe('verified');
  const reason = expect.stringMatching(
    `^Missing or wrong: TXT record of _posthorn\\.${name.replace('.', '\\.')}, .*, MX record of `,
  );
  const about = { domain_id: domain.id, name };
  await until(async () => (await events()).length >= 3);
  expect(await events()).toMatchObject([
    { type: 'domain.verified', sequence: 1, data: { ...about, status: 'verified' } },
    { type: 'domain.withdrawn', sequence: 1, data: { ...about, status: 'withdrawn', reason } },
    { type: 'domain.verified', sequence: 1, data: { ...about, status: 'verified' } },
  ]);
});

test('a domain of another workspace is no event of this one', async () => {
  const other = await t.otherTenant();
  const domain = await createDomain(t, newDomainName('acme'), other);
  publish(dns, domain.records);
  expect((await verify(t, domain, other)).status).toBe('verified');
  expect(await events()).toEqual([]);
});
