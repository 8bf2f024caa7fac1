import fc from 'fast-check';
import { malformedName, malformedValue } from './malformed-values.js';
import type { Schema } from './read-operations.js';

/** Meaningful values, because the schema only says "string". */
export type ValueHints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/**
 * What the schemas do not say.
 * @property values by field name; `list[].name` for a field of the objects in a list
 * @property fieldSets fields that are valid together; for objects that have all of them
 */
export type Hints = { readonly values: ValueHints; readonly fieldSets: ReadonlyArray<readonly string[]> };

/**
 * Values for a schema. Most of them match it. Some have missing fields, extra fields or malformed values.
 * @param name of the field
 * @param parent name of the object that has the field
 */
export function fromSchema(schema: Schema, hints: Hints, name = '', parent = ''): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: meaningful(schema, hints, name, parent) },
    { weight: 1, arbitrary: malformedValue },
  );
}

function meaningful(schema: Schema, hints: Hints, name: string, parent: string): fc.Arbitrary<unknown> {
  const { values } = hints;
  return values[`${parent}.${name}`] ?? values[name] ?? wellFormed(schema, hints, name);
}

function wellFormed(schema: Schema, hints: Hints, name: string): fc.Arbitrary<unknown> {
  const { anyOf, oneOf, enum: values } = schema;
  const choices = anyOf ?? oneOf;
  if (values && values.length > 0) return fc.constantFrom(...values);
  if (choices && choices.length > 0) return fc.oneof(...choices.map((choice) => wellFormed(choice, hints, name)));
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return object(schema, hints, name);
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, hints, `${name}[]`), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      });
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

function object(schema: Schema, hints: Hints, name: string): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([field, type]) => [field, fromSchema(type, hints, field, name)]),
  );
  const regular = fc.record(fields, { requiredKeys: required.filter((field) => field in fields) });
  const surplus = fc.dictionary(malformedName, malformedValue, { maxKeys: 3 });
  return fc.oneof(
    { weight: 12, arbitrary: regular },
    ...fromFieldSets(properties, hints, name),
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    {
      weight: 1,
      arbitrary: fc.tuple(regular, surplus).map(([fieldsOfSchema, extra]) => ({ ...fieldsOfSchema, ...extra })),
    },
    { weight: 1, arbitrary: surplus },
  );
}

function fromFieldSets(properties: Readonly<Record<string, Schema>>, hints: Hints, name: string) {
  const sets = hints.fieldSets.filter((set) => set.every((field) => field in properties));
  return sets.map((set) => ({
    weight: 8,
    arbitrary: fc.record(
      Object.fromEntries(set.map((field) => [field, meaningful(properties[field] ?? {}, hints, field, name)])),
    ),
  }));
}
