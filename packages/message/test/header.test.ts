import fc from 'fast-check';
import { decodeWords } from 'postal-mime';
import { formatCustomHeader, formatHeader } from '../src/header.js';

describe('header', () => {
  test('is one line if it fits', () => {
    expect(formatHeader('Subject', 'Your order has been shipped')).toBe('Subject: Your order has been shipped\r\n');
  });

  test('is folded at spaces into lines of at most 76 characters', () => {
    expect(formatHeader('Subject', 'word '.repeat(20).trim())).toBe(
      `Subject: ${'word '.repeat(12)}word\r\n ${'word '.repeat(6)}word\r\n`,
    );
  });

  test('preserves consecutive spaces', () => {
    expect(formatHeader('Subject', `a  b${' '.repeat(80)}c`)).toBe(`Subject: a  b\r\n${' '.repeat(80)}c\r\n`);
  });

  test('leaves a word that is too long for any line on the line of its name', () => {
    const url = `<https://example.com/${'u'.repeat(100)}>`;
    expect(formatHeader('List-Unsubscribe', url)).toBe(`List-Unsubscribe: ${url}\r\n`);
  });

  test('puts a later word that is too long for any line on a line of its own', () => {
    const url = `https://example.com/${'u'.repeat(100)}`;
    expect(formatHeader('X-Link', `See: ${url} today`)).toBe(`X-Link: See:\r\n ${url}\r\n today\r\n`);
  });

  test('moves a word to the line after its name if it fits there', () => {
    const url = `<https://example.com/${'u'.repeat(50)}>`;
    expect(formatHeader('List-Unsubscribe', url)).toBe(`List-Unsubscribe:\r\n ${url}\r\n`);
  });

  test.each([
    [988, `Subject: ${'x'.repeat(988)}\r\n`],
    [989, `Subject: ${'x'.repeat(989)}\r\n`],
    [990, `Subject:\r\n ${'x'.repeat(990)}\r\n`],
    [997, `Subject:\r\n ${'x'.repeat(997)}\r\n`],
    [998, expect.stringContaining('=?utf-8?Q?')],
  ])('keeps lines with a word of %i characters below 999', (length, lines) => {
    expect(formatHeader('Subject', 'x'.repeat(length))).toEqual(lines);
  });

  test.each([
    ['', 'X:\r\n'],
    ['ü', 'X: =?utf-8?B?w7w=?=\r\n'],
    [' a', 'X: =?utf-8?Q?_a?=\r\n'],
    ['a ', 'X: =?utf-8?Q?a_?=\r\n'],
    ['a\tb', 'X: =?utf-8?B?YQli?=\r\n'],
    ['=?utf-8?Q?a?=', 'X: =?utf-8?B?PT91dGYtOD9RP2E/PQ==?=\r\n'],
  ])('encodes %j', (value, line) => {
    expect(formatHeader('X', value)).toBe(line);
  });

  test.each(['a\r\nBcc: evil@example.com', 'a\nb', 'a\rb', 'a\0b'])('refuses %j', (value) => {
    expect(() => formatHeader('Subject', value)).toThrow('Subject must not contain CR, LF or NUL');
  });

  test('unfolds and decodes to the same value', () => {
    const name = fc.stringMatching(/^[A-Z][a-z-]{0,127}$/);
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 998 }).filter((text) => !/[\r\n\0]/.test(text)),
      fc.string({
        unit: fc.constantFrom('a', ' ', '=', '?', 'ü', '🚀', '=?utf-8?Q?a?=', 'x'.repeat(500)),
        maxLength: 200,
      }),
      fc.lorem({ maxCount: 200 }),
    );
    fc.assert(
      fc.property(name, value, (name, value) => {
        const lines = formatHeader(name, value);
        expect(lines).toMatch(/^[A-Za-z-]+:(?: *[!-~]+)*\r\n(?: +[!-~]+(?: +[!-~]+)*\r\n)*$/);
        expect(
          decodeWords(
            lines
              .slice(name.length + 1, -2)
              .replaceAll('\r\n', '')
              .replace(/^ /, ''),
          ),
        ).toBe(value);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a header that a client sets', () => {
  test.each([
    [
      'List-Id',
      'Nachrichten für Mitglieder <news.acme.example>',
      /^List-Id: =\?utf-8\?Q\?[^ ]+\?=(?:\r\n)? <news\.acme\.example>\r\n$/,
    ],
    ['List-Id', '<=?x@acme.example>', /^List-Id: <=\?x@acme\.example>\r\n$/],
    ['X-Note', 'für Sie', /^X-Note: =\?utf-8\?B\?[^ ]+\?=\r\n$/],
    ['Archived-At', '<https://x.test/?id=?1>', /^Archived-At: <https:\/\/x\.test\/\?id=\?1>\r\n$/],
    ['CFBL-Address', 'fbl@x.test; report=?x', /^CFBL-Address: fbl@x\.test; report=\?x\r\n$/],
    ['Mail-Followup-To', 'Jörg <a@x.test>', /^Mail-Followup-To: =\?utf-8\?B\?[^ ]+\?= <a@x\.test>\r\n$/],
    ['X-Confirm-Reading-To', 'Jörg <a@x.test>', /^X-Confirm-Reading-To: =\?utf-8\?B\?[^ ]+\?= <a@x\.test>\r\n$/],
    [
      'Mail-Followup-To',
      'Müller, Jörg <a@x.test>, "Ann (Sales)" <b@x.test>, c@x.test',
      /^Mail-Followup-To: =\?utf-8\?B\?TcO8bGxlciwgSsO2cmc=\?= <a@x\.test>,(?:\r\n)? "Ann \(Sales\)"(?:\r\n)? <b@x\.test>,(?:\r\n)? c@x\.test\r\n$/,
    ],
    ['List-Post', '<mailto:a@x.test> (für alle)', /^List-Post: <mailto:a@x\.test> \(=\?utf-8\?[QB]\?[^ ]+\?=\)\r\n$/],
    ['List-Post', '<mailto:a@x.test> (members)', /^List-Post: <mailto:a@x\.test> \(members\)\r\n$/],
    ['Disposition-Notification-To', 'a@x.test', /^Disposition-Notification-To: a@x\.test\r\n$/],
    ['References', '<a@b.example> '.repeat(100).trim(), /^References:(?:(?: <a@b\.example>)+\r\n)+$/],
  ])('%s: only a phrase is encoded in %s', (name, value, written) => {
    expect(formatCustomHeader(name, value)).toMatch(written);
  });
});
