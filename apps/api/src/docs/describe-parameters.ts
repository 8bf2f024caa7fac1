import type { Route } from '../routing/route.js';
import { parameterDescriptions, queryNumbers } from './parameters.js';
import { toJsonSchema } from './to-json-schema.js';

type Json = { [name: string]: unknown };

/** The parameters of a route in the notation of OpenAPI. */
export function describeParameters(route: Route): Json[] {
  return [
    ...pathParameters(route),
    ...queryParameters(route),
    ...(route.isSend ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
  ];
}

export const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Makes retries safe: repeating the request with the same key does not send the email again.',
  schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[ -~]+$' },
};

function pathParameters({ path, pathValues = {} }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    description: parameterDescriptions[name],
    required: true,
    schema: pathValues[name] ? { type: 'string', enum: pathValues[name] } : pathParameterSchema(name),
  }));
}

function pathParameterSchema(name: string): Json {
  if (name === 'token') return { type: 'string' };
  if (name === 'version') return { type: 'integer', minimum: 1 };
  return name === 'address' ? { type: 'string', format: 'email' } : { type: 'string', format: 'uuid' };
}

function queryParameters({ query }: Route): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    description: parameterDescriptions[name],
    required: required.includes(name),
    schema: queryNumbers[name] ?? schema,
  }));
}
