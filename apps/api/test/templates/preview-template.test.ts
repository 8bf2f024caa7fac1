import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, path } from './template-client.js';

describe('POST /api/v1/templates/{id}/preview', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('renders the template as in an email', async () => {
    const { id } = await createTemplate(t);
    const response = await preview(id, { template_vars: { name: `<O'Neil>`, link: '<a>', code: 42, more: true } });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      subject: `Hi <O'Neil>`,
      html: '<p>&lt;O&#39;Neil&gt;, <a></p>',
      text: `<O'Neil>: 42`,
      missing: [],
    });
  });

  test('leaves missing variables empty and lists them', async () => {
    const { id } = await createTemplate(t);
    const response = await preview(id, { template_vars: { code: '', link: null } });
    expect(response.body).toEqual({ subject: 'Hi ', html: '<p>, </p>', text: ': ', missing: ['name', 'link'] });
    expect((await preview(id, {})).body.missing).toEqual(['name', 'link', 'code']);
  });

  test('refuses variables that would be refused when sending', async () => {
    const { id } = await createTemplate(t);
    const lineBreak = await preview(id, { template_vars: { name: 'a\r\nBcc: x@example.com' } });
    expect(lineBreak.status).toBe(422);
    expect(lineBreak.body.errors).toEqual([
      { field: 'template_vars.name', message: expect.stringContaining('line breaks') },
    ]);
    const bomb = await createTemplate(t, { html_body: '{{x}}'.repeat(2_000) });
    const tooLong = await preview(bomb.id, { template_vars: { x: '<'.repeat(60_000) } });
    expect(tooLong.status).toBe(422);
    expect(tooLong.body.errors[0].message).toContain('480,000,000 bytes');
  });

  test('is open to any key and any session, but not without a credential', async () => {
    const { id } = await createTemplate(t);
    expect(
      (
        await t.api
          .post(`${path}/${id}/preview`)
          .set(await t.login())
          .send({})
      ).status,
    ).toBe(200);
    expect((await t.api.post(`${path}/${id}/preview`).send({})).status).toBe(401);
  });

  function preview(id: string, body: object) {
    return t.api.post(`${path}/${id}/preview`).set(t.auth).send(body);
  }
});
