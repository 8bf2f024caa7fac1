import { limits } from '@posthorn/domain/limits';
import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, fields, path, undeclared } from './template-client.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});
afterAll(() => t.close());

const post = (url: string, body: object = {}) => t.api.post(url).set(t.auth).send(body);
const patch = (id: string, body: object) => t.api.patch(`${path}/${id}`).set(t.auth).send(body);

const variables = [
  { name: 'name', default: 'there', sample: 'Ada' },
  { name: 'code', sample: '482913' },
];
const described = [variables[0], ...undeclared('link'), { name: 'code', default: null, sample: '482913' }];

describe('variables of a template', () => {
  test('are listed with their defaults and samples wherever a template is shown', async () => {
    const template = await createTemplate(t, { variables });
    expect(template.variables).toEqual(described);
    const urls = [`${path}/${template.id}`, `${path}/${template.id}/versions/1`];
    for (const url of urls) expect((await t.api.get(url).set(t.auth)).body.variables).toEqual(described);
    for (const url of [path, `${path}/${template.id}/versions`])
      expect((await t.api.get(url).set(t.auth)).body.data[0].variables).toEqual(described);
    expect((await patch(template.id, { variables: [] })).body).toMatchObject({
      variables: undeclared('name', 'link', 'code'),
      version: 2,
    });
  });

  test.each([
    [{}, 'variables', 'must be an array, such as'],
    [['name'], 'variables[0]', 'must be an object, such as'],
    [[{ default: 'x' }], 'variables[0].name', 'is required'],
    [[{ name: 'name', default: 5 }], 'variables[0].default', 'must be a string; leave it out if there is none'],
    [[{ name: 'name', sample: null }], 'variables[0].sample', 'must be a string; leave it out if there is none'],
    [[{ name: 'name', type: 'x' }], 'variables[0].type', 'is not a known field'],
    [
      [{ name: 'nmae' }],
      'variables[0].name',
      'which the template does not use. Add {{nmae}} to the template, or remove',
    ],
    [[{ name: 'n'.repeat(5_000) }], 'variables[0].name', 'the limit is 100'],
    [[{ name: 'name' }, { name: 'name' }], 'variables[1]', 'has the same name as an earlier item'],
    [[{ name: 'name', default: 'a\nb' }], 'variables[0].default', 'is used in the subject, so it must not contain'],
    [
      [{ name: 'code', default: 'x'.repeat(limits.templateDeclarationsBytes.max) }],
      'variables',
      'bytes long as JSON; the limit is 16,000',
    ],
  ])('%.60j is refused with a message that says how to fix it', async (invalid, field, message) => {
    const { id } = await createTemplate(t);
    const saving = [await post(path, { ...fields, variables: invalid }), await patch(id, { variables: invalid })];
    for (const { status, body } of saving) {
      expect([status, body.code]).toEqual([422, 'validation_failed']);
      expect(body.errors).toEqual([{ field, message: expect.stringContaining(message) }]);
    }
  });

  test('with a default can be left out of an email, a check and a preview', async () => {
    const { id } = await createTemplate(t, { variables });
    const email = { to: ['jane@example.com'], template_id: id, template_vars: { link: '', name: null } };
    const missing = await post('/api/v1/emails', email);
    expect([missing.status, missing.body.errors]).toEqual([
      422,
      [{ field: 'template_vars.code', message: 'is required by the template' }],
    ]);
    expect((await post('/api/v1/emails/check', email)).body).toMatchObject({
      would_send: false,
      subject: 'Hi there',
      missing_variables: ['code'],
    });
    expect((await post(`${path}/${id}/preview`)).body).toMatchObject({
      subject: 'Hi there',
      missing: ['link', 'code'],
    });
    const whole = { ...email, template_vars: { link: '', code: 1 } };
    expect((await post('/api/v1/emails/check', whole)).body).toMatchObject({ would_send: true, missing_variables: [] });
    const sent = await post('/api/v1/emails', whole);
    expect([sent.status, sent.body.subject]).toEqual([202, 'Hi there']);
    await patch(id, { variables: [{ name: 'name', default: 'you' }] }).expect(200);
    const { body } = await t.api.get(`/api/v1/emails/${sent.body.id}`).set(await t.login());
    expect(body).toMatchObject({ html: '<p>there, </p>', text: 'there: 1', template_vars: { name: 'there' } });
  });
});

describe('POST /api/v1/templates/{id}/versions/{version}/restore', () => {
  test('makes a new version of the content, defaults and samples, but keeps the name', async () => {
    const { id } = await createTemplate(t, { variables });
    await patch(id, { name: 'Renamed', subject: 'other', html_body: 'other', text_body: 'other' }).expect(200);
    const restored = await post(`${path}/${id}/versions/1/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({ ...fields, name: 'Renamed', variables: described, version: 3 });
    expect((await t.api.get(`${path}/${id}`).set(t.auth)).body).toEqual(restored.body);
    expect((await post(`${path}/${id}/versions/3/restore`)).body).toEqual(restored.body);
  });

  test.each(['2', '0', 'x', '9999999999'])(
    'answers 404 for version %s of a template that has only one',
    async (version) => {
      const { id } = await createTemplate(t);
      const { status, body } = await post(`${path}/${id}/versions/${version}/restore`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );

  test('needs templates:write', async () => {
    const { id } = await createTemplate(t);
    const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    for (const action of ['versions/1/restore', 'duplicate'])
      expect((await t.api.post(`${path}/${id}/${action}`).set(auth).send({})).status).toBe(403);
  });
});

describe('POST /api/v1/templates/{id}/duplicate', () => {
  test('creates a template with the same content, defaults and samples', async () => {
    const original = await createTemplate(t, { variables });
    const { status, body } = await post(`${path}/${original.id}/duplicate`);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...fields, name: 'Welcome (copy)', variables: described, version: 1 });
    expect(body.id).not.toBe(original.id);
    expect((await post(`${path}/${original.id}/duplicate`, { name: 'Mine' })).body.name).toBe('Mine');
  });

  test('shortens a name that would become too long', async () => {
    const { id } = await createTemplate(t, { name: 'n'.repeat(limits.templateName.max) });
    const { body } = await post(`${path}/${id}/duplicate`);
    expect(body.name).toBe(`${'n'.repeat(limits.templateName.max - ' (copy)'.length)} (copy)`);
  });

  test.each([{ name: '' }, { name: 5 }, { name: 'n'.repeat(limits.templateName.max + 1) }])(
    'refuses %.40j and names the field',
    async (body) => {
      const { id } = await createTemplate(t);
      const response = await post(`${path}/${id}/duplicate`, body);
      expect([response.status, response.body.errors[0].field]).toEqual([422, 'name']);
    },
  );

  test.each([newId(), 'x'])('answers 404 for %s', async (id) => {
    expect((await post(`${path}/${id}/duplicate`)).status).toBe(404);
  });
});
