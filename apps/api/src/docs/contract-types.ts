import type { OperationId } from '@posthorn/contract';
import generated from './contract-schemas.json' with { type: 'json' };

type Json = { [name: string]: unknown };

const operations = generated.properties as unknown as Record<OperationId, { properties: Record<string, Json> }>;
const definitions = generated.definitions as unknown as Record<string, Json>;

/** Times are RFC 3339 everywhere, and the names of their fields end like this. */
const TIME = /^(since|\w+_at)$/;

const PREFIX = '#/definitions/';

/** The type of the request's body with every reference replaced, since the rules of a request differ by operation. */
export function requestTypeOf(operationId: OperationId): Json {
  return withFormats(JSON.parse(JSON.stringify(partOf(operationId, 'request')), replaceReference));
}

export function responseTypeOf(operationId: OperationId): Json {
  return toResponse(partOf(operationId, 'response'));
}

function partOf(operationId: OperationId, part: 'request' | 'response'): Json {
  const found = operations[operationId]?.properties[part];
  if (!found) throw new Error(`contract-schemas.json lacks ${operationId}. Run "npm run docs".`);
  return found;
}

function replaceReference(_name: string, value: unknown): unknown {
  const { $ref: reference, ...own } = (value as { $ref?: string } | null) ?? {};
  if (reference === undefined) return value;
  // A field's own description is more specific than that of its type.
  return { ...JSON.parse(JSON.stringify(definitionOf(reference)), replaceReference), ...own };
}

function definitionOf(reference: string): Json {
  const found = definitions[decodeURIComponent(reference.slice(PREFIX.length))];
  if (!found) throw new Error(`contract-schemas.json lacks ${reference}. Run "npm run docs".`);
  return found;
}

/** The schemas that responses refer to, by name. */
export const responseSchemas: Json = collect(Object.keys(operations) as OperationId[]);

function collect(ids: readonly OperationId[]): Json {
  const found = new Map<string, Json>();
  const visit = (json: Json) => {
    JSON.stringify(json, (name, value) => {
      if (name === '$ref' && !found.has(value)) {
        found.set(value, toResponse(definitionOf(value)));
        visit(definitionOf(value));
      }
      return value;
    });
  };
  for (const id of ids) visit(partOf(id, 'response'));
  return Object.fromEntries([...found].map(([reference, schema]) => [nameOf(reference), schema]).sort());
}

/**
 * List<Email> -> EmailList. Names of components cannot contain brackets.
 */
function nameOf(reference: string): string {
  const name = decodeURIComponent(reference.slice(PREFIX.length));
  const [, outer, inner] = /^(\w+)<"?(\w+)"?>$/.exec(name) ?? [];
  return outer === undefined || inner === undefined
    ? name.replace(/\W+/g, '_')
    : `${outer === 'Deleted' ? outer : ''}${inner[0]?.toUpperCase()}${inner.slice(1)}${outer === 'Deleted' ? '' : outer}`;
}

/** Clients must accept fields that a later version adds, so responses do not exclude them. */
function toResponse(schema: Json): Json {
  const open = JSON.parse(JSON.stringify(schema), (_name, value) => {
    if (value?.additionalProperties === false) delete value.additionalProperties;
    if (typeof value?.$ref === 'string') return { ...value, $ref: `#/components/schemas/${nameOf(value.$ref)}` };
    return value;
  });
  return withFormats(open);
}

function withFormats(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (name, value) =>
    TIME.test(name) && [value?.type].flat().includes('string') ? { ...value, format: 'date-time' } : value,
  );
}
