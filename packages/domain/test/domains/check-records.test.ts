import type { Dns } from '@posthorn/platform/network';
import { checkRecords } from '../../src/domains/check-records.js';
import { buildDnsRecords } from '../../src/domains/dns-records.js';

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A';
const OWNERSHIP = 'posthorn-verification=token';
const DKIM = `v=DKIM1; k=rsa; p=${KEY}`;
const WILDCARD = 'v=spf1 -all';

type Zone = Readonly<Record<string, readonly string[]>>;

/** @param zone by name and type. A name that begins with `*` is for all names that have no record of any type */
function openZone(zone: Zone): Dns {
  const exists = (name: string) => Object.keys(zone).some((key) => key.startsWith(`${name} `));
  const answer = (type: string) => async (name: string) => ({
    values: zone[`${name} ${type}`] ?? (exists(name) ? [] : (zone[`* ${type}`] ?? [])),
  });
  return { txt: answer('TXT'), mx: answer('MX'), cname: answer('CNAME'), addresses: answer('A'), close() {} };
}

async function findMessage(key: string, zone: Zone, name = 'acme.test'): Promise<string | null | undefined> {
  const dkimKey = { id: '', domainId: null, publicKey: KEY, createdAt: new Date(0), retiredAt: null };
  const records = buildDnsRecords(
    { name, ownershipToken: 'token' },
    [{ ...dkimKey, selector: 'one', state: 'active' }],
    { platformSenderDomain: 'mail.example', trackingCname: 'links.example' },
  );
  const findings = await checkRecords(openZone({ 'mail.example TXT': [WILDCARD], ...zone }), records, {});
  return findings[key]?.message;
}

describe('a record under another name', () => {
  test.each<[string, Zone, string]>([
    ['ownership', { '_posthorn.acme.test.acme.test TXT': [OWNERSHIP] }, 'without .acme.test.'],
    ['ownership', { '_posthorn.acme.test.acme.test TXT': [OWNERSHIP], '* TXT': [WILDCARD] }, 'without .acme.test.'],
    ['dkim one', { 'one._domainkey.acme.test.acme.test TXT': [DKIM], '* TXT': [WILDCARD] }, 'without .acme.test.'],
    ['return_path_mx', { 'bounces.acme.test.acme.test MX': ['10 bounces.mail.example'] }, 'without .acme.test.'],
    ['tracking', { 'links.acme.test.acme.test CNAME': ['links.example'] }, 'without .acme.test.'],
    ['ownership', { 'acme.test TXT': [WILDCARD, OWNERSHIP] }, 'one at acme.test: a part of the name is left out'],
  ])('is named: %s %j', async (key, zone, message) => {
    expect(await findMessage(key, zone)).toContain(message);
  });

  test.each<[string, Zone]>([
    ['ownership', { '_posthorn.acme.test TXT': [OWNERSHIP] }],
    ['dkim one', { 'one._domainkey.acme.test TXT': [DKIM] }],
  ])('is named if the subdomain is left out: %s', async (key, zone) => {
    expect(await findMessage(key, zone, 'news.acme.test')).toContain('a part of the name is left out');
  });

  test.each<[string, Zone]>([
    ['ownership', { '* TXT': [WILDCARD] }],
    ['spf', { 'bounces.acme.test MX': ['10 bounces.mail.example'], '* TXT': [WILDCARD] }],
    ['dmarc', { '_dmarc.acme.test.acme.test TXT': [WILDCARD] }],
  ])('is not a wildcard record: %s %j', async (key, zone) => {
    expect(await findMessage(key, zone)).not.toContain('there is one at');
  });

  test('says nothing about another domain with the same values', async () => {
    const zone = { 'bounces.acme.test MX': ['10 bounces.mail.example'] };
    const message = 'There is no MX record at bounces.news.acme.test. Add it.';
    expect(await findMessage('return_path_mx', zone, 'news.acme.test')).toBe(message);
  });
});

test.each(['bounces.mail.example.acme.test', 'bounces.mail.example.bounces.acme.test'])(
  'an MX host with the domain at its end is named: %s',
  async (host) => {
    const zone = { 'bounces.acme.test MX': [`10 ${host}`] };
    expect(await findMessage('return_path_mx', zone)).toContain('with a dot at the end: bounces.mail.example.');
  },
);
