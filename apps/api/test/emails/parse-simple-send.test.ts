import fc from 'fast-check';
import { parseSimpleSend, sendBody } from '../../src/emails/request.js';
import { validate } from '../../src/validation/validate.js';

const plain = { to: ['jane@example.com'], subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
const template = { to: ['jane@example.com'], template_id: 'T', template_vars: { name: 'Jane', count: 3, vip: true } };

/** Values that are valid for some field, nearly valid, or invalid for every field. */
const value = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    'Hello',
    'jane@example.com',
    'Jane <jane@example.com>',
    'a\nb',
    'x'.repeat(998),
    'x'.repeat(999),
    'high',
    'normal',
  ),
  fc.constantFrom(
    null,
    0,
    Number.POSITIVE_INFINITY,
    true,
    [],
    {},
    [''],
    [null],
    ['jane@example.com'],
    ['Jane@EXAMPLE.com', 'jane@example.com'],
  ),
  fc.constantFrom(['nobody'], ['"Doe, Jane" <jane@example.com>'], ['a@b.example', 3], { name: 'x' }, { name: [] }),
  fc.constantFrom({ topic: 'newsletter' }, { topic: 'News' }, { topic: 'x'.repeat(65) }, { topic: 'a', b: 1 }, [
    'news',
  ]),
  fc.constantFrom({ unsubscribe_url: 'x' }, { topic: '' }, { topic: 'a\n' }, { topic: 3 }, { topic: undefined }),
  fc.constantFrom({ constructor: 'x' }, { '': 'x' }, { ['n'.repeat(101)]: 'x' }, { name: null }, { name: 2 ** 60 }),
  fc.constantFrom(
    { name: 'x'.repeat(64_000) },
    Array.from({ length: 51 }, (_, n) => `a${n}@example.com`),
  ),
  fc.string({ unit: 'binary' }),
  fc.emailAddress().map((address) => [address]),
);

const field = fc.constantFrom(
  ...[
    'to',
    'cc',
    'from_',
    'domain_id',
    'subject',
    'html',
    'text',
    'template_id',
    'template_vars',
    'priority',
    'unsubscribe',
    'tags',
    'surplus',
  ],
);

/** A valid body with some fields left out and some added. */
const body = fc
  .tuple(
    fc.constantFrom<object>(plain, template),
    fc.subarray(Object.keys({ ...plain, ...template })),
    fc.dictionary(field, value, { maxKeys: 3 }),
  )
  .map(([start, left, changes]) => ({
    ...Object.fromEntries(Object.entries(start).filter(([name]) => left.includes(name))),
    ...changes,
  }));

function byJoi(given: unknown): unknown {
  try {
    return validate(sendBody, given);
  } catch {
    return 'refused';
  }
}

describe('parseSimpleSend', () => {
  test.each([
    ['raw content', plain],
    ['text alone', { to: ['jane@example.com'], subject: 'Hello', text: 'Hello' }],
    [
      'a sender and names',
      { ...plain, to: ['Jane <jane@example.com>', 'joe@example.com'], from_: 'Shop <shop@example.com>' },
    ],
    ['one recipient twice', { ...plain, to: ['Jane@EXAMPLE.com', 'jane@example.com'] }],
    ['a topic', { ...plain, unsubscribe: { topic: 'newsletter' } }],
    [
      'a topic and one recipient twice',
      { ...plain, to: ['a@b.example', 'A@b.example'], unsubscribe: { topic: 'n_1-x' } },
    ],
    ['a template', template],
    ['a template without variables', { to: ['jane@example.com'], template_id: 'T' }],
  ])('reads %s the same way joi does', (_title, given) => {
    expect(parseSimpleSend(given)).not.toBeNull();
    expect(parseSimpleSend(given)).toEqual(validate(sendBody, given));
  });

  test('never accepts what joi refuses, and never reads a value differently from joi', () => {
    fc.assert(
      fc.property(body, (given) => {
        const read = parseSimpleSend(structuredClone(given));
        if (read !== null) expect(read).toEqual(byJoi(given));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['array', [plain]],
    ['null', null],
    ['text', 'x'],
    ['topic with two recipients', { ...plain, to: ['a@b.example', 'c@b.example'], unsubscribe: { topic: 'x' } }],
    ['topic in capitals', { ...plain, unsubscribe: { topic: 'News' } }],
    ['unknown field', { ...plain, cc: ['jane@example.com'] }],
  ])('leaves the decision to joi: %s', (_title, given) => {
    expect(parseSimpleSend(given)).toBeNull();
  });
});
