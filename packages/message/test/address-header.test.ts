import fc from 'fast-check';
import { formatAddressHeader } from '../src/header.js';

const address = 'jane@example.com';

describe('addressHeader', () => {
  test.each([
    [null, 'From: jane@example.com\r\n'],
    ['', 'From: jane@example.com\r\n'],
    ['Jane Doe', 'From: Jane Doe <jane@example.com>\r\n'],
    ["Conan O'Brien", `From: "Conan O'Brien" <jane@example.com>\r\n`],
    ['Doe, Jane', 'From: "Doe, Jane" <jane@example.com>\r\n'],
    ['Jane Q. Public', 'From: "Jane Q. Public" <jane@example.com>\r\n'],
    ['The "Boss" \\ Inc.', 'From: "The \\"Boss\\" \\\\ Inc." <jane@example.com>\r\n'],
    ['ceo@bank.example', 'From: "ceo@bank.example" <jane@example.com>\r\n'],
    ['Jürgen Gross', 'From: =?utf-8?Q?J=C3=BCrgen_Gross?= <jane@example.com>\r\n'],
    ['山田太郎', 'From: =?utf-8?B?5bGx55Sw5aSq6YOO?= <jane@example.com>\r\n'],
    ['two  spaces', 'From: =?utf-8?Q?two__spaces?= <jane@example.com>\r\n'],
    ['=?utf-8?Q?x?=', 'From: =?utf-8?B?PT91dGYtOD9RP3g/PQ==?= <jane@example.com>\r\n'],
    ['n'.repeat(74), `From:\r\n ${'n'.repeat(74)}\r\n <jane@example.com>\r\n`],
  ])('writes the name %j', (name, line) => {
    expect(formatAddressHeader('From', [{ name, address }])).toBe(line);
  });

  test('is empty without addresses', () => {
    expect(formatAddressHeader('Cc', [])).toBe('');
  });

  test('is folded between addresses', () => {
    const addresses = ['Jane Doe', 'John Doe', 'Mary Major', 'Max Moe'].map((name) => ({ name, address }));
    expect(formatAddressHeader('To', addresses)).toBe(
      'To: Jane Doe <jane@example.com>, John Doe <jane@example.com>,\r\n Mary Major <jane@example.com>, Max Moe <jane@example.com>\r\n',
    );
  });

  test('is folded before an address that does not fit on the line of its name', () => {
    const long = `${'l'.repeat(60)}@example.com`;
    expect(formatAddressHeader('To', [{ name: 'Jane Doe', address: long }])).toBe(`To: Jane Doe\r\n <${long}>\r\n`);
  });

  test('writes fifty addresses in lines of at most 76 characters', () => {
    const name = fc.oneof(
      fc.constant(null),
      fc.string({ unit: 'grapheme', maxLength: 64 }).filter((text) => !/[\r\n\0]/.test(text)),
    );
    const mailbox = fc.record({ name, address: fc.stringMatching(/^[a-z]{1,30}@[a-z]{1,30}\.example$/) });
    fc.assert(
      fc.property(fc.array(mailbox, { minLength: 1, maxLength: 50 }), (addresses) => {
        const lines = formatAddressHeader('Reply-To', addresses).split('\r\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
        expect(lines.join('')).toMatch(/^Reply-To: [ -~]+$/);
      }),
    );
  });
});
