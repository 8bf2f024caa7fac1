import {
  parseAddresses,
  parseFieldBlocks,
  parseRecipientAddress,
  parseReturnPaths,
  parseTypedAddress,
} from '../src/report-fields.js';

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

test.each([
  ['rfc822; jane@example.net'],
  ['rfc822; Jane Doe <jane@example.net>'],
  ['rfc822; "Doe, Jane" <jane@example.net>'],
  ['rfc822: jane@example.net'],
  ['LOCAL;jane@example.net'],
  ['<jane@example.net>'],
])('%j is the address of Jane', (value) => {
  expect(parseTypedAddress(value)).toBe('jane@example.net');
});

test.each([
  ['X400; jane@example.net'],
  ['x400: jane@example.net'],
  ['rfc822; joe@example.net <jane@example.net>'],
  ['rfc822; <joe: <jane@example.net>'],
  ['rfc822; Jane'],
])('%j names nobody', (value) => {
  expect(parseTypedAddress(value)).toBeNull();
});

test.each([
  [['<jane@example.net>, <joe@example.net>']],
  [['rfc822; jane@example.net', 'jane@example.net,joe@example.net']],
  [['<@relay.example,@other.example:jane@example.net>, joe@example.net, somebody']],
])('%j names Jane and Joe', (values) => {
  expect(parseAddresses(values)).toEqual(['jane@example.net', 'joe@example.net']);
});

test.each([
  ['SRS0=44ldt=IX=bounces.example.com=b+token@forwarder.example'],
  ['bounces+SRS=44ldt=IX=bounces.example.com=b+token@fabrikam.onmicrosoft.com'],
  ['SRS1=xyz=first.example==44ldt=IX=bounces.example.com=b+token@second.example'],
])('a forwarder has rewritten our return path as %s', (address) => {
  const [returned = null] = parseFieldBlocks(`Return-Path: <${address}>`);
  expect(parseReturnPaths(returned)).toContain('b+token@bounces.example.com');
});
