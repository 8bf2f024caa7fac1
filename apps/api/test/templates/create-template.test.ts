import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { fields, path, undeclared } from './template-client.js';

describe('POST /api/v1/templates', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  const create = (body: object) => t.api.post(path).set(t.auth).send(body);

  test('answers 201 with the full template', async () => {
    const response = await create(fields);
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      object: 'template',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      ...fields,
      variables: undeclared('name', 'link', 'code'),
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: response.body.created_at,
    });
  });

  test('is open to a session', async () => {
    expect(
      (
        await t.api
          .post(path)
          .set(await t.login())
          .send(fields)
      ).status,
    ).toBe(201);
  });

  test('requires a credential, and templates:write for a key', async () => {
    const { text } = await createKey(t.ctx, operator, t.workspace.id, {
      name: 'k',
      scopes: ['emails:send', 'emails:read'],
      expiresAt: null,
    });
    const response = await t.api.post(path).set('Authorization', `Bearer ${text}`).send(fields);
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ code: 'missing_scope', detail: expect.stringContaining('templates:write') });
    expect((await t.api.post(path).send(fields)).status).toBe(401);
  });

  test.each(['name', 'subject', 'html_body', 'text_body'] as const)(
    'refuses a template whose %s is missing or empty',
    async (field) => {
      const { [field]: _left, ...rest } = fields;
      for (const body of [rest, { ...fields, [field]: '' }, { ...fields, [field]: null }, { ...fields, [field]: 5 }]) {
        const response = await create(body);
        expect(response.status).toBe(422);
        expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
      }
    },
  );

  test('names all four fields when all are missing', async () => {
    const response = await create({});
    expect(response.body.errors.map((fault: { field: string }) => fault.field).sort()).toEqual([
      'html_body',
      'name',
      'subject',
      'text_body',
    ]);
  });

  test.each([
    ['name', ' padded '],
    ['name', 'n'.repeat(limits.templateName.max + 1)],
    ['name', 'two\nlines'],
    ['subject', 's'.repeat(limits.subject.max + 1)],
    ['subject', 'two\r\nlines'],
    ['html_body', 'ü'.repeat(limits.html.max / 2 + 1)],
    ['text_body', 'ü'.repeat(limits.text.max / 2 + 1)],
    ['text_body', 'nul \0'],
    ['html_body', 'half \ud800'],
  ])('refuses an invalid %s', async (field, value) => {
    const response = await create({ ...fields, [field]: value });
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
  });

  test('accepts every field at its maximum length', async () => {
    const longest = {
      name: 'n'.repeat(limits.templateName.max),
      subject: 's'.repeat(limits.subject.max),
      html_body: 'ü'.repeat(limits.html.max / 2),
      text_body: 'x'.repeat(limits.text.max),
    };
    expect((await create(longest)).body).toMatchObject({ ...longest, variables: [] });
  });

  test('says where an unsupported tag is and what to use instead', async () => {
    const response = await create({ ...fields, html_body: '<p>\n  {{#items}}x{{/items}}', text_body: '{{> footer}}' });
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([
      {
        field: 'html_body',
        message:
          'has an error at line 2, column 3: sections are not supported. Build that part in your program and pass it as a variable',
      },
      {
        field: 'text_body',
        message: 'has an error at line 1, column 1: partials are not supported. Insert the text of the partial instead',
      },
    ]);
  });

  test('refuses an unknown field and suggests the right one', async () => {
    const response = await create({ ...fields, html: 'x', htmlBody: 'x' });
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([
      { field: 'html', message: 'is not a known field. Did you mean html_body?' },
      { field: 'htmlBody', message: 'is not a known field. Did you mean html_body?' },
    ]);
  });

  test('reports only the first of many errors, and says that there are more', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field${n}`, 1]));
    const response = await create({ ...fields, ...unknown });
    expect(response.body.errors).toHaveLength(20);
    expect(response.body.detail).toBe(
      'field0 is not a known field; remove it or check its spelling. There are at least 19 more errors; see `errors`.',
    );
  });

  test('answers 409 when the workspace has the maximum number of templates', async () => {
    const other = await t.otherTenant();
    const row = {
      workspace_id: other.workspace.id,
      name: 'x',
      version: 1,
      created_at: new Date(),
      updated_at: new Date(),
    };
    await t.ctx
      .db('templates')
      .insert(Array.from({ length: limits.templates.max }, () => ({ ...row, id: crypto.randomUUID() })));
    const response = await t.api.post(path).set(other.auth).send(fields);
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining(`${limits.templates.max} templates`),
    });
  });
});
