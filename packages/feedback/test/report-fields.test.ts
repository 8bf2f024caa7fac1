import { parseRecipientAddress } from '../src/report-fields.js';

test.each([
  ['Jane@Example.net', 'jane@example.net'],
  [' <jane@example.net> (Jane)', 'jane@example.net'],
  ['<@relay.example:jane@example.net>', 'jane@example.net'],
])('%j is the address %s', (text, address) => {
  expect(parseRecipientAddress(text)).toBe(address);
});

test.each([
  ['jane@example.net\n\tfor <bounce@example.com>; Tue, 24 Feb 2026 09:14:11 +0000'],
  ['<jane@exa: <bounce@example.com>'],
  ['jane@example.net, joe@example.net'],
  [''],
])('%j names nobody, because it is not one address alone', (text) => {
  expect(parseRecipientAddress(text)).toBeNull();
});
