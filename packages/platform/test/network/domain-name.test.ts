import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { toDomainName } from '../../src/network/domain-name.js';

describe('toDomainName', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['example.com.', 'example.com'],
    ['mail.example.com', 'mail.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['אב.com', 'xn--4dbc.com'],
    ['9gag.com', '9gag.com'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('%s is stored as %s', (text, name) => {
    expect(toDomainName(text)).toEqual({ name });
  });

  test.each([
    ['', 'must be a domain name such as'],
    ['localhost', 'with a dot'],
    ['com.', 'with a dot'],
    ['1.2.3.4', 'not an IP address'],
    ['[::1]', 'must be a domain name such as'],
    ['::1', 'must be a domain name such as'],
    ['0x7f.1', 'must be a valid domain name'],
    ['127.1', 'must be a valid domain name'],
    ['a.0x1', 'must be a valid domain name'],
    ['exa\u200bmple.com', 'invisible'],
    ['exa\u200dmple.com', 'invisible'],
    ['ex\u00admple.com', 'invisible'],
    ['\u202eexample.com', 'invisible'],
    ['example\n.com', 'invisible'],
    ['example.com\u0000', 'invisible'],
    ['example。com', 'must be a domain name such as'],
    ['＠example.com', 'must be a domain name such as'],
    ['ｅｘａｍｐｌｅ.com', 'full-width'],
    ['ﬁsh.com', 'full-width'],
    ['①.com', 'full-width'],
    ['\u212aelvin.com', 'full-width'],
    ['a b.com', 'must be a domain name such as'],
    ['a_b.com', 'must be a domain name such as'],
    ['a%62.com', 'must be a domain name such as'],
    ['user@example.com', 'must be a domain name such as'],
    ['https://example.com', 'must be a domain name such as'],
    ['example.com/path', 'must be a domain name such as'],
    ['-a.com', 'no hyphen at either end'],
    ['a-.com', 'no hyphen at either end'],
    ['a..com', '1 to 63 letters, digits or hyphens'],
    ['.com', '1 to 63 letters, digits or hyphens'],
    ['example.com..', '1 to 63 letters, digits or hyphens'],
    ['xn--a.com', 'must be a valid domain name'],
    ['אבa.com', 'must be a valid domain name'],
    [`${'a'.repeat(64)}.com`, '1 to 63 letters, digits or hyphens'],
    [`${'abcdefg.'.repeat(32)}com`, 'has 259 characters; the limit is 253'],
  ])('%j is refused', (text, reason) => {
    expect(toDomainName(text)).toEqual({ fault: expect.stringContaining(reason) });
  });

  test('returns a name that parses to itself, for any input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.domain(),
          fc.string({ unit: 'grapheme' }).map((text) => `${text}.com`),
        ),
        (text) => {
          const typed = toDomainName(text);
          if ('fault' in typed) return;
          expect(typed.name).toMatch(/^[a-z0-9.-]{3,253}$/);
          expect(toDomainName(typed.name)).toEqual(typed);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('accepts no plain ASCII name that a browser would refuse or rewrite', () => {
    const label = fc.string({ unit: fc.constantFrom(...'axn019-'), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), (labels) => {
        const typed = toDomainName(labels.join('.'));
        if ('name' in typed) expect(domainToASCII(typed.name)).toBe(typed.name);
      }),
      { numRuns: 5_000 },
    );
  });
});
