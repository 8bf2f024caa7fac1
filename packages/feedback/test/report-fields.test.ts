import { toFeedbackReport } from '../src/arf.js';
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

test.each([
  [
    'Received-SPF: pass (mx.example.net: ok) client-ip=192.0.2.1; envelope-from="b+token@bounces.example.com"; helo=mx;',
  ],
  ['Received-SPF: pass client-ip=192.0.2.1; envelope-from=b+token@bounces.example.com; helo=mx.example.com'],
  ['Received-SPF: pass envelope-from=<b+token@bounces.example.com>'],
  ['Received-SPF: pass envelope-from="b+token"@bounces.example.com; helo=mx.example.com'],
  ['Authentication-Results: mx.example.net; spf=pass smtp.mailfrom="b+token@bounces.example.com"'],
  ['Authentication-Results: mx.example.net; spf=pass smtp.mailfrom="b+token"@bounces.example.com; dkim=pass'],
  ['Return-Path: <prvs=0123456789=b+token@bounces.example.com>'],
  ['Return-Path: <prvs=44a1b2c3d4=B+token@bounces.example.com>'],
  ['Return-Path: <msprvs1=19abcdefgh=b+token@bounces.example.com>'],
  ['Return-Path: <btv1==123abc==b+token@bounces.example.com>'],
  ['Authentication-Results: mx.example.net; spf=pass smtp.mailfrom=prvs=1234=b+token@bounces.example.com'],
  ['Return-Path: <SRS0=44ldt=IX=bounces.example.com=b+token@forwarder.example>'],
  ['Return-Path: <SRS0=44ldt=IX=bounces.example.com=prvs=123=b+token@forwarder.example>'],
])('our return path is in %s', (header) => {
  const [returned = null] = parseFieldBlocks(header);
  expect(parseReturnPaths(returned)).toContain('b+token@bounces.example.com');
});

test('a complaint whose recipient is hidden may name it in Delivered-To', () => {
  const [returned = null] = parseFieldBlocks('Delivered-To: jane@example.net\nTo: joe@example.net');
  const report = toFeedbackReport('Feedback-Type: abuse', returned);
  expect(report).toMatchObject({ addresses: ['jane@example.net'] });
});
