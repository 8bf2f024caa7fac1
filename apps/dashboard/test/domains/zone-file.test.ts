import type { DomainRecord } from '@posthorn/contract';
import { zoneFile } from '../../src/domains/zone.js';

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
  expect(zoneFile([mx, dkim, cname])).toBe(
    [
      'bounces.acme.example. 3600 IN MX 10 mx.posthorn.example.',
      'ph1._domainkey.acme.example. 3600 IN TXT "v=DKIM1; p=AAAA" "BBBB"',
      'links.acme.example. 3600 IN CNAME links.posthorn.example.',
    ].join('\n'),
  );
});
