import type { DomainRecord } from '@posthorn/contract';
import { guessZone, toHost, writeZoneFile } from '../../src/domains/zone.js';

test.each([
  ['acme.example', 'acme.example'],
  ['mail.acme.example', 'acme.example'],
  ['news.mail.acme.example', 'acme.example'],
  ['acme.co.uk', 'acme.co.uk'],
  ['mail.acme.co.uk', 'acme.co.uk'],
])('the records of %s are expected in the zone %s', (domain, zone) => {
  expect(guessZone(domain)).toBe(zone);
});

test('the host is the name without the zone', () => {
  expect(toHost('acme.example', '_posthorn.mail.acme.example')).toBe('_posthorn.mail');
});

const base: Pick<DomainRecord, 'ttl' | 'status' | 'required' | 'found' | 'message'> = {
  ttl: 3_600,
  status: 'pending',
  required: true,
  found: [],
  message: null,
};

const mx: DomainRecord = {
  ...base,
  record: 'return_path_mx',
  type: 'MX',
  name: 'bounces.acme.example',
  value: 'mx.posthorn.example',
  priority: 10,
};

const dkim: DomainRecord = {
  ...base,
  record: 'dkim',
  type: 'TXT',
  name: 'ph1._domainkey.acme.example',
  value: 'v=DKIM1; p=AAAABBBB',
  value_split: ['v=DKIM1; p=AAAA', 'BBBB'],
};

const cname: DomainRecord = {
  ...base,
  record: 'tracking',
  type: 'CNAME',
  name: 'links.acme.example',
  value: 'links.posthorn.example',
};

test('names are fully qualified, and long values are split into quoted strings', () => {
  expect(writeZoneFile([mx, dkim, cname])).toBe(
    [
      'bounces.acme.example. 3600 IN MX 10 mx.posthorn.example.',
      'ph1._domainkey.acme.example. 3600 IN TXT "v=DKIM1; p=AAAA" "BBBB"',
      'links.acme.example. 3600 IN CNAME links.posthorn.example.',
    ].join('\n'),
  );
});
