import { guessZone, hostIn } from '../../src/domains/zone.js';

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
  expect(hostIn('acme.example', '_posthorn.mail.acme.example')).toBe('_posthorn.mail');
});
