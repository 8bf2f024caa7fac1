import { limits } from '@posthorn/domain';
import type { Schema } from 'joi';
import { type Access, scopesOf } from '../access.js';
import { type ProblemCode, problems } from '../http-errors.js';
import type { Route } from '../route.js';
import { problemsOf } from './errors.js';
import { withBraces } from './with-braces.js';

type Json = { [name: string]: unknown };

/** The routes as an OpenAPI 3.1 document. joi generates its schemas, in JSON Schema 2020-12. */
export function describeApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = withBraces(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Posthorn', version: '1', description: 'Send email over HTTPS. The guide is at /docs.' },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes,
      schemas: { Problem: problem },
      headers: responseHeaders,
      parameters: { idempotencyKey },
    },
  };
}

const securitySchemes: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key that has the scope listed for the operation. If several are listed, one is enough.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'posthorn_session',
    description: 'The session cookie that /auth/login sets. Over HTTPS its name starts with __Host-.',
  },
};

const problem: Json = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problems) },
    request_id: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    resets_at: { type: 'string', format: 'date-time' },
  },
};

const problemContent: Json = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

const responseHeaders: Json = {
  RequestId: {
    description: 'The id of the request. Quote it when you ask about the request.',
    schema: { type: 'string', format: 'uuid' },
  },
  RetryAfter: {
    description: 'Seconds to wait before a retry. Not sent with daily_cap_exhausted.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Makes retries safe: repeating the request with the same key does not send the email again.',
  schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[ -~]+$' },
};

function operation(route: Route): Json {
  const { access, body, isBatch, isSend, method, path, summary } = route;
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(route),
    ...(isSend ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
  ];
  return {
    operationId: `${method}${path.replace(/\W+/g, '_')}`,
    summary,
    security: securityOf(access),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: isBatch ? batchOf(toJsonSchema(body)) : toJsonSchema(body) } },
      },
    }),
    responses: responsesOf(route),
  };
}

function batchOf(items: Json): Json {
  return { type: 'array', minItems: 1, maxItems: limits.batch.max, items };
}

function securityOf(access: Access): Json[] {
  if (access === 'public') return [];
  if (access === 'session' || access === 'owner') return [{ session: [] }];
  const alternatives = scopesOf(access)?.map((scope) => ({ bearer: [scope] }));
  return [...(alternatives ?? [{ bearer: [] }]), { session: [] }];
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'version' ? { type: 'integer', minimum: 1 } : { type: 'string', format: 'uuid' },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function responsesOf(route: Route): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(route)) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  const refused = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `${code}: ${problems[code].title}`).join('; '),
      headers: {
        ...headers,
        ...((status === 429 || status === 503) && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
      },
      content: problemContent,
    },
  ]);
  return {
    '2XX': { description: route.summary, headers },
    ...Object.fromEntries(refused),
    default: { description: 'Any other error', headers, content: problemContent },
  };
}

function toJsonSchema(schema: Schema): Json {
  const json: Json = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const { keys = {} } = schema.describe();
  const properties = Object.entries((json.properties ?? {}) as Json).filter(
    ([name]) => keys[name]?.flags?.presence !== 'forbidden',
  );
  return withoutSingleChoices({
    ...json,
    ...(json.properties !== undefined && { properties: Object.fromEntries(properties) }),
  });
}

/** joi describes a conditional field as a choice, even when the other branch forbids the field. */
function withoutSingleChoices(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_name, value) => (value?.anyOf?.length === 1 ? value.anyOf[0] : value));
}
