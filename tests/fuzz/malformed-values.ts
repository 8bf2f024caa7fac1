import fc from 'fast-check';

const text = [
  '',
  ' ',
  '\0',
  'a\u0000b',
  '\ud800',
  'x\udc00\ud800',
  '\u202egnp.exe',
  '\u200b\u2060\ufeff',
  '\u2028\u2029\u0085',
  'a\r\nBcc: evil@example.com',
  'a\r\n\r\n.\r\nMAIL FROM:<evil@example.com>',
  'Team: a@x.example, b@x.example;',
  '"a@b.c" <d@e.example>',
  'a@example.com, b@example.com',
  'ａ＠ｅｘａｍｐｌｅ。com',
  'İ@example.com',
  'jane@[127.0.0.1]',
  '{{name}}{{{raw}}}{{&raw}}{{!c}}',
  '{{#a}}{{/a}}{{>p}}{{=<% %>=}}',
  '{{'.repeat(500),
  '<script>alert(1)</script>',
  "' or 1=1; --",
  '$1 %s %00 \u0024{7*7} \\u0000',
  '../../../../etc/passwd',
  '9'.repeat(400),
  '2026-02-30T25:61:61+99:99',
  '2026-12-01T09:30:00Z',
  '1e400',
  'a'.repeat(5_000),
  '💌'.repeat(400),
  'e\u0301'.repeat(300),
];

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  '\0',
  '0',
  'from',
  'id',
];

/** Text that programs often mishandle. */
export const malformedText = fc.oneof(
  fc.constantFrom(...text),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
);

export const malformedName = fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 20 }));

const nested = fc.nat({ max: 40 }).map((depth) => JSON.parse(`${'[{"a":'.repeat(depth)}0${'}]'.repeat(depth)}`));

const long = fc
  .tuple(fc.constantFrom<unknown>(0, '', null, 'a@example.com', {}), fc.constantFrom(60, 1_001, 21_000))
  .map(([item, count]) => Array.from({ length: count }, () => item));

/** Any JSON values, some of them large. */
export const malformedValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: malformedText },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 1.5, 2 ** 53, 1e308, [], {}, [null], [[]]),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(malformedName, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 }) },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: fc.constantFrom(150_000, 2_100_000).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: long },
);
