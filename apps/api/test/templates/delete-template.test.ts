import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, path } from './template-client.js';

describe('DELETE /api/v1/templates/{id}', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('removes the template from every route', async () => {
    const { id } = await createTemplate(t);
    const response = await t.api.delete(`${path}/${id}`).set(t.auth);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ object: 'template', id, deleted: true });
    expect((await t.api.get(`${path}/${id}`).set(t.auth)).status).toBe(404);
    expect((await t.api.patch(`${path}/${id}`).set(t.auth).send({ name: 'x' })).status).toBe(404);
    expect((await t.api.post(`${path}/${id}/preview`).set(t.auth).send({})).status).toBe(404);
    expect((await t.api.delete(`${path}/${id}`).set(t.auth)).status).toBe(404);
    expect((await t.api.get(path).set(t.auth)).body.data).toEqual([]);
  });

  test('refuses new emails that use the template and keeps those already accepted', async () => {
    const { id } = await createTemplate(t);
    const send = () => {
      const body = { to: ['jane@example.com'], template_id: id, template_vars: { name: 'Jane', link: '', code: 1 } };
      return t.api.post('/api/v1/emails').set(t.auth).send(body);
    };
    const accepted = await send();
    expect(accepted.status).toBe(202);
    await t.api.delete(`${path}/${id}`).set(t.auth);
    const refused = await send();
    expect(refused.status).toBe(404);
    expect(refused.body.code).toBe('template_not_found');
    expect((await t.api.get(`/api/v1/emails/${accepted.body.id}`).set(t.auth)).body).toMatchObject({ template_id: id });
  });
});
