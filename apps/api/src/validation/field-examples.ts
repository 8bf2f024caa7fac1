import type { Schema } from 'joi';

/** Shows in the refusal of a value of the wrong type what the field takes. */
export function withExample<Field extends Schema>(field: Field, example: unknown): Field {
  return field.meta({ example }) as Field;
}

/** By field, with `[]` for the items of an array, such as `tags[]`. */
type Examples = ReadonlyMap<string, unknown>;

/** Cached, because describing a schema takes a millisecond. */
const examplesBySchema = new WeakMap<Schema, Examples>();

/** @returns the example of a field; undefined if it has none */
export function exampleOf(schema: Schema, path: ReadonlyArray<string | number>): unknown {
  const examples = examplesBySchema.get(schema) ?? toExamples(schema);
  examplesBySchema.set(schema, examples);
  return examples.get(path.map((part) => (typeof part === 'number' ? '[]' : part)).join(''));
}

/** What `withExample` adds. */
type Described = { metas?: Array<{ example?: unknown }>; keys?: Record<string, Described>; items?: Described[] };

function toExamples(schema: Schema): Examples {
  const fields = Object.entries((schema.describe() as Described).keys ?? {});
  return new Map(
    fields.flatMap(([name, field]) => {
      const example = field.metas?.find((meta) => 'example' in meta)?.example;
      if (example === undefined) return [];
      return Array.isArray(example)
        ? [
            [name, example],
            [`${name}[]`, example[0]],
          ]
        : [[name, example]];
    }) as Array<[string, unknown]>,
  );
}
