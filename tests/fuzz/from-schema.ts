import fc from 'fast-check';
import { malformedName, malformedValue } from './malformed-values.js';
import type { Schema } from './read-operations.js';

/** Meaningful values for fields with these names, because the schema only says "string". */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Values for a schema. Most of them match it. Some have missing fields, extra fields or malformed values. */
export function fromSchema(schema: Schema, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: hints[name] ?? wellFormed(schema, hints) },
    { weight: 1, arbitrary: malformedValue },
  );
}

function wellFormed(schema: Schema, hints: Hints): fc.Arbitrary<unknown> {
  const { anyOf, oneOf, enum: values } = schema;
  const choices = anyOf ?? oneOf;
  if (values && values.length > 0) return fc.constantFrom(...values);
  if (choices && choices.length > 0) return fc.oneof(...choices.map((choice) => wellFormed(choice, hints)));
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return object(schema, hints);
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, hints), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'string':
      return fc.oneof(fc.constant('Hello {{name}}'), fc.string({ minLength: schema.minLength ?? 1, maxLength: 40 }));
    case 'number':
    case 'integer':
      return fc.integer();
    case 'boolean':
      return fc.boolean();
    default:
      return malformedValue;
  }
}

function object({ properties = {}, required = [] }: Schema, hints: Hints): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, fromSchema(schema, hints, name)]),
  );
  const regular = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
  const surplus = fc.dictionary(malformedName, malformedValue, { maxKeys: 3 });
  return fc.oneof(
    { weight: 12, arbitrary: regular },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    {
      weight: 1,
      arbitrary: fc.tuple(regular, surplus).map(([fieldsOfSchema, extra]) => ({ ...fieldsOfSchema, ...extra })),
    },
    { weight: 1, arbitrary: surplus },
  );
}
