import fc from 'fast-check';
import { headerFault } from '../../src/addresses/custom-headers.js';

describe('headerFault', () => {
  test.each([
    ['X-Campaign', 'spring 2027'],
    ['List-Unsubscribe', '<https://example.com/u?x=1>, <mailto:u@example.com>'],
    ['In-Reply-To', '<a@example.com>'],
    ['X-Size', 'Größe 🚀'],
    ['X-Empty', ''],
    ['Contents', 'is not Content-*'],
    ['X-Decomposed', 'Jose\u0301'],
    ['!#$%&*+', 'unusual, but a name'],
    ['constructor', 'a word like any other'],
    ['__proto__', 'another'],
    ['X'.repeat(128), 'v'.repeat(998)],
  ])('allows %s', (name, value) => {
    expect(headerFault(name, value)).toBeNull();
  });

  test.each([
    ['From', 'from_'],
    ['To', 'to'],
    ['Cc', 'cc'],
    ['Bcc', 'bcc'],
    ['Reply-To', 'reply_to'],
    ['Subject', 'subject'],
  ])('refuses %s and names the field %s', (name, field) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(headerFault(spelling, 'x')).toBe(`cannot be set as a header. Use the field ${field}`);
    }
  });

  test.each([
    'Sender',
    'Date',
    'Message-ID',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'Content-Disposition',
    'Content-Anything',
    'DKIM-Signature',
    'Return-Path',
    'Received',
    'Authentication-Results',
    'ARC-Seal',
    'Resent-From',
    'Resent-Bcc',
    'X-Email-ID',
  ])('refuses %s, which the service sets', (name) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(headerFault(spelling, 'x')).toBe('is set by the service. Remove it');
    }
  });

  test.each([
    '',
    'X Y',
    'X:',
    'X-Y:',
    'X\r\nBcc',
    'X\n',
    'X\u0000',
    'X\t',
    ' X',
    'Größe',
    'X\u200b',
    'Bcc ',
    'List-;x=1',
  ])('refuses the name %j', (name) => {
    expect(headerFault(name, 'x')).toContain('printable ASCII');
  });

  test.each(['a\r\nBcc: evil@example.com', 'a\nb', 'a\rb', 'a\tb', '\u0000', '\u007f', '\u0085', '\u2028', '\ud800'])(
    'refuses the value %j',
    (value) => {
      expect(headerFault('X-Test', value)).toBe('must not contain line breaks or control characters');
    },
  );

  test('refuses a name or value that is too long, and reports the limit', () => {
    expect(headerFault('X'.repeat(129), 'x')).toBe('has a name of 129 characters; the limit is 128');
    expect(headerFault('X-Test', 'v'.repeat(999))).toBe('has 999 characters; the limit is 998');
  });

  test('allows nothing that could end the header line', () => {
    const texts = fc.string({
      unit: fc.constantFrom('X', '-', ':', ';', ' ', '\r', '\n', '\u0000', '\t', 'ü', '\u2028'),
    });
    fc.assert(
      fc.property(texts, texts, (name, value) => {
        if (headerFault(name, value) === null) expect(`${name}: ${value}`).toMatch(/^[!-9<-~]+: [^\p{Cc}]*$/u);
      }),
    );
  });
});
