import type { Schema } from 'joi';
import type { KnownName } from './closest-name.js';

/** Cached, because describing a schema takes a millisecond. */
const namesOf = new WeakMap<Schema, readonly KnownName[]>();

/** The fields of an object's schema, with the names that other services give them. */
export function knownNames(schema: Schema): readonly KnownName[] {
  const names = namesOf.get(schema) ?? describeNames(schema);
  namesOf.set(schema, names);
  return names;
}

function describeNames(schema: Schema): KnownName[] {
  const fields: Record<string, Described> = schema.describe().keys ?? {};
  return Object.entries(fields).map(([name, { metas = [] }]) => ({
    name,
    aliases: metas.flatMap(({ aliases = [] }) => aliases),
  }));
}

/** `withAliases` adds the `metas`. */
type Described = { metas?: Array<{ aliases?: readonly string[] }> };
