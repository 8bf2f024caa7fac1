import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '@posthorn/contract';
import type { Schema } from 'joi';

export type Json = { [name: string]: unknown };

/** Times are RFC 3339 everywhere, and the names of their fields end like this. */
const TIME = /^(since|\w+_at)$/;

const PREFIX = '#/definitions/';

/** The types of the contract, which build.mjs has converted to JSON Schemas. */
const contract: {
  readonly properties: Record<OperationId, { properties: Record<'request' | 'response', Json> }>;
  readonly definitions: Record<string, Json>;
} = JSON.parse(readFileSync(join(import.meta.dirname, '../../dist/contract-schemas.json'), 'utf8'));

export const operationIds = Object.keys(contract.properties) as readonly OperationId[];

/** The type of the request's body with every reference replaced, since the rules of a request differ by operation. */
export function getRequestType(operationId: OperationId): Json {
  return addFormats(JSON.parse(JSON.stringify(getPart(operationId, 'request')), replaceReference));
}

export function getResponseType(operationId: OperationId): Json {
  return toResponse(getPart(operationId, 'response'));
}

function getPart(operationId: OperationId, part: 'request' | 'response'): Json {
  return contract.properties[operationId].properties[part];
}

function replaceReference(_name: string, value: unknown): unknown {
  const { $ref: reference, ...own } = (value as { $ref?: string } | null) ?? {};
  if (reference === undefined) return value;
  // A field's own description is more specific than that of its type.
  return { ...JSON.parse(JSON.stringify(getDefinition(reference)), replaceReference), ...own };
}

function getDefinition(reference: string): Json {
  const found = contract.definitions[decodeURIComponent(reference.slice(PREFIX.length))];
  if (!found) throw new Error(`The schemas of the contract lack ${reference}.`);
  return found;
}

/** The schemas that responses refer to, by name. */
export function listResponseSchemas(): Json {
  const found = new Map<string, Json>();
  const visit = (json: Json) => {
    JSON.stringify(json, (name, value) => {
      if (name === '$ref' && !found.has(value)) {
        found.set(value, toResponse(getDefinition(value)));
        visit(getDefinition(value));
      }
      return value;
    });
  };
  for (const { properties } of Object.values(contract.properties)) visit(properties.response);
  return Object.fromEntries([...found].map(([reference, schema]) => [toName(reference), schema]).sort());
}

/** List<Email> -> EmailList. Names of components cannot contain brackets. */
function toName(reference: string): string {
  const name = decodeURIComponent(reference.slice(PREFIX.length));
  const [, outer, inner] = /^(\w+)<"?(\w+)"?>$/.exec(name) ?? [];
  if (outer === undefined || inner === undefined) return name.replace(/\W+/g, '_');
  const capitalized = `${inner[0]?.toUpperCase()}${inner.slice(1)}`;
  return outer === 'Deleted' ? `${outer}${capitalized}` : `${capitalized}${outer}`;
}

/** Clients must accept fields that a later version adds, so responses do not exclude them. */
function toResponse(schema: Json): Json {
  const open = JSON.parse(JSON.stringify(schema), (_name, value) => {
    if (value?.additionalProperties === false) delete value.additionalProperties;
    if (typeof value?.$ref === 'string') return { ...value, $ref: `#/components/schemas/${toName(value.$ref)}` };
    return value;
  });
  return addFormats(open);
}

function addFormats(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (name, value) =>
    TIME.test(name) && [value?.type].flat().includes('string') ? { ...value, format: 'date-time' } : value,
  );
}

/** The rules of a body or query string, in JSON Schema 2020-12. Leaves out fields that are always refused. */
export function toJsonSchema(schema: Schema): Json {
  const json: Json = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const { keys = {} } = schema.describe();
  const properties = Object.entries((json.properties ?? {}) as Json).filter(
    ([name]) => keys[name]?.flags?.presence !== 'forbidden',
  );
  return mergeSameChoices({
    ...json,
    ...(json.properties !== undefined && { properties: Object.fromEntries(properties) }),
  });
}

/** joi describes a conditional field as a choice, even when both branches are alike or one forbids the field. */
function mergeSameChoices(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_name, value) => {
    const choices: unknown[] = value?.anyOf ?? [];
    const isOne = new Set(choices.map((choice) => JSON.stringify(choice))).size === 1;
    return isOne ? choices[0] : value;
  });
}

/**
 * The schema of a request: the fields and descriptions of its type, with the limits of the rules that check it. The
 * rules' own type is used where there is one, because TypeScript does not tell integers from other numbers.
 */
export function mergeRules(type: Json, rules: Json): Json {
  const { properties, items, additionalProperties, patternProperties: _, ...constraints } = rules;
  const fields = (type.properties ?? {}) as Record<string, Json>;
  const rulesOfFields = (properties ?? {}) as Record<string, Json>;
  return {
    ...type,
    ...constraints,
    ...(type.properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, mergeRules(field, rulesOfFields[name] ?? {})]),
      ),
    }),
    ...(type.items !== undefined && { items: mergeRules(type.items as Json, (items ?? {}) as Json) }),
  };
}
