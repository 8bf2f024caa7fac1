import type { Schema } from 'joi';

type Json = { [name: string]: unknown };

/** The rules of a body or query string, in JSON Schema 2020-12. Leaves out fields that are always refused. */
export function toJsonSchema(schema: Schema): Json {
  const json: Json = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const { keys = {} } = schema.describe();
  const properties = Object.entries((json.properties ?? {}) as Json).filter(
    ([name]) => keys[name]?.flags?.presence !== 'forbidden',
  );
  return withoutSameChoices({
    ...json,
    ...(json.properties !== undefined && { properties: Object.fromEntries(properties) }),
  });
}

/** joi describes a conditional field as a choice, even when both branches are alike or one forbids the field. */
function withoutSameChoices(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_name, value) => {
    const choices: unknown[] = value?.anyOf ?? [];
    const isOne = new Set(choices.map((choice) => JSON.stringify(choice))).size === 1;
    return isOne ? choices[0] : value;
  });
}
