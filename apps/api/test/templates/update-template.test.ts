import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, path, undeclared } from './template-client.js';

describe('PATCH /api/v1/templates/{id}', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('changes the given fields and increments the version', async () => {
    const template = await createTemplate(t);
    const response = await t.api.patch(`${path}/${template.id}`).set(t.auth).send({ html_body: '<b>{{other}}</b>' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      ...template,
      html_body: '<b>{{other}}</b>',
      variables: undeclared('name', 'other', 'code'),
      version: 2,
      updated_at: response.body.updated_at,
    });
    expect((await t.api.get(`${path}/${template.id}`).set(t.auth)).body).toEqual(response.body);
  });

  test('keeps the version and the update time when nothing changes', async () => {
    const template = await createTemplate(t);
    const { name, subject, html_body, text_body } = template;
    const response = await t.api
      .patch(`${path}/${template.id}`)
      .set(t.auth)
      .send({ name, subject, html_body, text_body });
    expect(response.status).toBe(200);
    expect(response.body).toEqual(template);
  });

  test.each([{}, { name: '' }, { subject: 'a\nb' }, { html_body: '{{#a}}' }, { version: 3 }, { id: 'x' }, []])(
    'refuses %j and changes nothing',
    async (body) => {
      const template = await createTemplate(t);
      const response = await t.api.patch(`${path}/${template.id}`).set(t.auth).send(body);
      expect(response.status).toBe(422);
      expect(response.body.code).toBe('validation_failed');
      expect((await t.api.get(`${path}/${template.id}`).set(t.auth)).body).toEqual(template);
    },
  );

  test('applies to new emails, not to accepted ones', async () => {
    const template = await createTemplate(t, { subject: 'old {{name}}' });
    const send = () => {
      const body = {
        to: ['jane@example.com'],
        template_id: template.id,
        template_vars: { name: 'Jane', link: '', code: 1 },
      };
      return t.api.post('/api/v1/emails').set(t.auth).send(body);
    };
    const before = await send();
    expect(before.body).toMatchObject({ subject: 'old Jane' });
    await t.api.patch(`${path}/${template.id}`).set(t.auth).send({ subject: 'new {{name}}' });
    expect((await send()).body).toMatchObject({ subject: 'new Jane' });
    const stored = await t.api.get(`/api/v1/emails/${before.body.id}`).set(t.auth);
    expect(stored.body).toMatchObject({ subject: 'old Jane', template_id: template.id, template_version: 1 });
  });
});
