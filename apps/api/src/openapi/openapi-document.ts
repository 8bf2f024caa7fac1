import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { parse } from 'yaml';
import { problems } from '../http/http-errors.js';
import { acceptsNoFields } from '../request-steps/read-request.js';
import { type Access, listScopes } from '../routing/access.js';
import type { Route } from '../routing/route.js';
import { buildProblemExamples, describeResponses } from './openapi-responses.js';
import { getRequestType, type Json, listResponseSchemas, mergeRules, toJsonSchema } from './openapi-schemas.js';

type Example = { readonly request: unknown; readonly response: unknown };
type WrittenExample = { readonly request?: unknown; readonly response?: unknown; readonly list?: unknown };

function readYaml(name: string): Json {
  // Each example has many aliases of a few values.
  return parse(readFileSync(join(import.meta.dirname, name), 'utf8'), { merge: true, maxAliasCount: -1 });
}

const { tags, components, ...written } = readYaml('openapi.yaml') as Json & {
  tags: Array<{ name: string; description: string; 'x-paths': string[] }>;
  components: Record<'headers' | 'parameters' | 'schemas' | 'securitySchemes', Json>;
};
const descriptions = written['x-parameters'] as Record<string, string>;
const { operations } = readYaml('examples.yaml') as { operations: Record<OperationId, WrittenExample> };

export const exampleIds: readonly string[] = Object.keys(operations);
export const tagNames: readonly string[] = tags.map(({ name }) => name);

export function getExample(operationId: OperationId): Example {
  const example = operations[operationId];
  if (!example) throw new Error(`apps/api/src/openapi/examples.yaml lacks ${operationId}.`);
  const { list, request, response } = example;
  return {
    request,
    response: list ? { object: 'list', data: [list], has_more: false, next_cursor: null } : response,
  };
}

/** `/templates/:id` in the notation of OpenAPI: `/templates/{id}` */
export function toOpenApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/**
 * The routes as an OpenAPI 3.1 document. The types of bodies come from the contract package, the limits of requests
 * from the rules that check them, and everything else from openapi.yaml and examples.yaml.
 */
export function buildOpenApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = toOpenApiPath(route.path);
    paths[path] = { ...paths[path], [route.method]: describeOperation(route) };
  }
  const { openapi, info, servers } = written;
  return {
    openapi,
    info,
    servers,
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      ...components,
      schemas: { ...listResponseSchemas(), Problem: describeProblem(components.schemas.Problem as Json) },
      examples: buildProblemExamples(),
    },
  };
}

function describeProblem(schema: Json): Json {
  const properties = schema.properties as { code: Json };
  const code = { ...properties.code, enum: Object.keys(problems) };
  return { ...schema, properties: { ...properties, code } };
}

function describeOperation(route: Route): Json {
  const { access, operationId, path, summary } = route;
  const first = path.replace('/api/v1', '').split('/')[1] ?? '';
  const tag = tags.find((each) => each['x-paths'].includes(first))?.name ?? tagNames.at(-1);
  const parameters = [
    ...listPathParameters(route),
    ...listQueryParameters(route),
    ...(route.isSend ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${summary}. Needs ${describeCredential(route)}.`,
    security: describeSecurity(access),
    ...(parameters.length > 0 && { parameters }),
    ...describeRequestBody(route),
    responses: describeResponses(route, components.headers, getExample(operationId).response),
  };
}

function describeCredential({ access, ownersOnly }: Route): string {
  if (access === 'public') return 'no credential';
  if (access === 'any') return 'an API key or a session';
  const scopes = listScopes(access);
  const session = access === 'owner' || ownersOnly ? "an owner's session" : 'a session';
  return scopes ? `an API key with ${scopes.join(' or ')}, or ${session}` : session;
}

function describeSecurity(access: Access): Json[] {
  if (access === 'public') return [];
  if (access === 'session' || access === 'owner') return [{ session: [] }];
  const alternatives = listScopes(access)?.map((scope) => ({ bearer: [scope] }));
  return [...(alternatives ?? [{ bearer: [] }]), { session: [] }];
}

function listPathParameters({ path, pathValues = {} }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    description: descriptions[name],
    required: true,
    schema: pathValues[name] ? { type: 'string', enum: pathValues[name] } : describePathParameter(name),
  }));
}

function describePathParameter(name: string): Json {
  if (name === 'token') return { type: 'string' };
  if (name === 'version') return { type: 'integer', minimum: 1 };
  return { type: 'string', format: name === 'address' ? 'email' : 'uuid' };
}

/** A query string is text, so the rules check these numbers with a pattern. Clients must know they are numbers. */
const queryNumbers: Readonly<Record<string, Json>> = {
  limit: { type: 'integer', minimum: 1, maximum: limits.pageSize.max },
  days: { type: 'integer', minimum: 1, maximum: limits.statsDays.max },
};

function listQueryParameters({ operationId, query }: Route): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    description: descriptions[`${operationId}.${name}`] ?? descriptions[name],
    required: required.includes(name),
    schema: queryNumbers[name] ?? schema,
  }));
}

function describeRequestBody({ body, isBatch, isForm, maxCsvBytes, operationId, readsBodyItself }: Route): Json {
  const example = getExample(operationId).request;
  if (maxCsvBytes !== undefined) return toRequestBody(true, { 'text/csv': { schema: { type: 'string' }, example } });
  if (readsBodyItself) return toRequestBody(true, { '*/*': { schema: { type: 'string', format: 'binary' } } });
  if (isForm) {
    const form = written['x-one-click-form'];
    return toRequestBody(true, { 'application/x-www-form-urlencoded': form, 'multipart/form-data': form });
  }
  if (!body) return {};
  const [type, rules] = [getRequestType(operationId), toJsonSchema(body)];
  const schema = isBatch
    ? { type: 'array', minItems: 1, maxItems: limits.batch.max, items: mergeRules(type.items as Json, rules) }
    : mergeRules(type, rules);
  return toRequestBody(isBatch === true || !acceptsNoFields(body), { 'application/json': { schema, example } });
}

function toRequestBody(required: boolean, content: Json): Json {
  return { requestBody: { required, content } };
}
