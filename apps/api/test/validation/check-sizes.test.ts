import { type FieldFault, Refusal } from '@posthorn/domain/errors';
import { AddressError } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import Joi from 'joi';
import { routes } from '../../src/app.js';
import { buildAddress } from '../../src/validation/field-schemas.js';
import { validate } from '../../src/validation/validate.js';

/** @returns the faults, and how many values the schema's own rule checked */
function check(schemaOf: (rule: () => void) => Joi.Schema, value: unknown) {
  let checks = 0;
  const schema = schemaOf(() => {
    checks += 1;
  });
  try {
    validate(schema, value);
    return { checks, faults: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { checks, faults: error.extras.faults as readonly FieldFault[] };
  }
}

const text = (rule: () => void) =>
  Joi.string().custom((value) => {
    rule();
    return value;
  });

describe('before any value is validated', () => {
  test('an array with too many items is refused', () => {
    const result = check((rule) => Joi.object({ to: Joi.array().items(text(rule)).max(1_000) }), {
      to: Array(19_981).fill('x'),
    });
    expect(result).toEqual({
      checks: 0,
      faults: [{ field: 'to', message: 'has 19,981 items; the limit is 1,000' }],
    });
  });

  test('an object with too many fields is refused', () => {
    const value = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`X-${index}`, '']));
    const result = check((rule) => Joi.object({ headers: Joi.object().pattern(Joi.string(), text(rule)).max(50) }), {
      headers: value,
    });
    expect(result).toEqual({ checks: 0, faults: [{ field: 'headers', message: 'has 9,000 fields; the limit is 50' }] });
  });

  test('a string that is too long is refused', () => {
    const result = check((rule) => Joi.object({ subject: text(rule).max(998) }), { subject: 'x'.repeat(9_000_000) });
    expect(result).toEqual({
      checks: 0,
      faults: [{ field: 'subject', message: 'has 9,000,000 characters; the limit is 998' }],
    });
  });

  test.each([
    ['unknown fields', Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`field${index}`, 1]))],
    ['items of the wrong type', { to: Array(1_000).fill(7) }],
    ['items with unknown fields', { tags: Array.from({ length: 75 }, () => ({ nam: 1 })) }],
  ])('a body with more %s than a 422 lists is refused', (_what, value) => {
    const schema = (rule: () => void) =>
      Joi.object({
        first: text(rule),
        to: Joi.array().items(text(rule)).max(1_000),
        tags: Joi.array()
          .items(Joi.object({ name: text(rule) }))
          .max(75),
      });
    const { checks, faults } = check(schema, { first: 'x', ...value });
    expect(checks).toBe(0);
    expect(faults).toHaveLength(limits.faults.max);
  });
});

test('parsing of addresses stops at the maximum number of faults that a 422 lists', () => {
  let parsed = 0;
  const address = buildAddress(() => {
    parsed += 1;
    throw new AddressError('is wrong');
  });
  const schema = () => Joi.object({ to: Joi.array().items(address).max(1_000) });
  expect(check(schema, { to: Array(1_000).fill('x') }).faults).toHaveLength(limits.faults.max);
  expect(parsed).toBe(limits.faults.max);
});

test('every array in a request body has a maximum number of items', () => {
  const bodies = routes.flatMap(({ body }) => (body ? [body.describe()] : []));
  expect(bodies.flatMap(unboundedArrays)).toEqual([]);
});

type Described = {
  type?: string;
  rules?: Array<{ name: string }>;
  keys?: Record<string, Described>;
  items?: Described[];
};

function unboundedArrays(described: Described): Described[] {
  const { type, rules = [], keys = {}, items = [] } = described;
  const isUnbounded = type === 'array' && !rules.some(({ name }) => name === 'max');
  return [...(isUnbounded ? [described] : []), ...[...Object.values(keys), ...items].flatMap(unboundedArrays)];
}
