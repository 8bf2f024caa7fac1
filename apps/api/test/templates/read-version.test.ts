import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, fields, path, undeclared } from './template-client.js';

describe('GET /api/v1/templates/{id}/versions/{version}', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  const read = (id: string, version: number | string) => t.api.get(`${path}/${id}/versions/${version}`).set(t.auth);
  const change = (id: string, changes: object) => t.api.patch(`${path}/${id}`).set(t.auth).send(changes).expect(200);

  test('shows the content of that version, not the current content', async () => {
    const template = await createTemplate(t);
    const { body: now } = await change(template.id, { html_body: '<b>{{who}}</b>', text_body: 'new' });
    const common = { object: 'template_version', template_id: template.id };
    const { subject, html_body, text_body, variables, created_at } = template;
    const first = await read(template.id, 1);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ ...common, version: 1, subject, html_body, text_body, variables, created_at });
    expect((await read(template.id, 2)).body).toEqual({
      ...common,
      version: 2,
      subject,
      html_body: '<b>{{who}}</b>',
      text_body: 'new',
      variables: undeclared('name', 'who'),
      created_at: now.updated_at,
    });
  });

  test('returns all the fields needed to restore the version with an update, which creates a new version', async () => {
    const template = await createTemplate(t);
    await change(template.id, { subject: 'other', html_body: 'other', text_body: 'other' });
    const { subject, html_body, text_body } = (await read(template.id, 1)).body;
    const { body } = await change(template.id, { subject, html_body, text_body });
    expect(body).toMatchObject({ ...fields, version: 3, variables: template.variables });
  });

  test.each(['2', '0', '01', '-1', '1.0', 'x', '9999999999', '%00', 'latest'])(
    'answers 404 for version %s of a template that has only one version',
    async (version) => {
      const { id } = await createTemplate(t);
      const { status, body } = await read(id, version);
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );

  test('answers 404 once the template is deleted', async () => {
    const { id } = await createTemplate(t);
    await t.api.delete(`${path}/${id}`).set(t.auth).expect(200);
    expect((await read(id, 1)).status).toBe(404);
  });

  test('is open to any key and any session, but not without a credential', async () => {
    const { id } = await createTemplate(t);
    const narrow = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    for (const auth of [narrow, await t.login()])
      expect((await t.api.get(`${path}/${id}/versions/1`).set(auth)).status).toBe(200);
    expect((await t.api.get(`${path}/${id}/versions/1`)).status).toBe(401);
  });
});
