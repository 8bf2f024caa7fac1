import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, fields, path } from './template-client.js';

const { name: _name, ...texts } = fields;

describe('POST /api/v1/templates/preview', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  const preview = (body: object) => t.api.post(`${path}/preview`).set(t.auth).send(body);

  test('renders unsaved content, and lists its variables in order of first appearance', async () => {
    const saved = (await t.api.get(path).set(t.auth)).body.data;
    const response = await preview({ ...texts, template_vars: { name: `<O'Neil>`, code: 42, more: true } });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      subject: `Hi <O'Neil>`,
      html: '<p>&lt;O&#39;Neil&gt;, </p>',
      text: `<O'Neil>: 42`,
      missing: ['link'],
      variables: ['name', 'link', 'code'],
    });
    expect((await t.api.get(path).set(t.auth)).body.data).toEqual(saved);
  });

  test('shows what the saved template would show', async () => {
    const { id, variables } = await createTemplate(t);
    const template_vars = { name: 'Jane', link: null, code: '' };
    const saved = await t.api.post(`${path}/${id}/preview`).set(t.auth).send({ template_vars });
    expect((await preview({ ...texts, template_vars })).body).toEqual({
      ...saved.body,
      variables: variables.map(({ name }) => name),
    });
  });

  test('accepts empty content, which could not be saved', async () => {
    const response = await preview({ subject: '', html_body: '', text_body: '' });
    expect([response.status, response.body]).toEqual([
      200,
      { subject: '', html: '', text: '', missing: [], variables: [] },
    ]);
  });

  test.each([
    { what: 'a line break in the subject', changes: { subject: 'a\nb' } },
    { what: 'a long subject', changes: { subject: 's'.repeat(999) } },
    { what: 'a large body', changes: { html_body: 'h'.repeat(2_000_001) } },
    { what: 'tags that are not supported', changes: { text_body: 'Hello\n  {{#section}}', html_body: '{{' } },
    { what: 'a forbidden name', changes: { html_body: '{{__proto__}}' } },
    {
      what: 'too many variables',
      changes: { html_body: Array.from({ length: 101 }, (_, index) => `{{v${index}}}`).join('') },
    },
    { what: 'a missing text', changes: { subject: undefined } },
    { what: 'null', changes: { html_body: null } },
    { what: 'a number', changes: { text_body: 1 } },
    { what: 'an unknown field', changes: { surplus: 'x' } },
  ])('refuses $what with the same errors as saving', async ({ changes }) => {
    const [saving, previewing] = [
      await t.api
        .post(path)
        .set(t.auth)
        .send({ ...fields, ...changes }),
      await preview({ ...texts, ...changes }),
    ];
    expect([previewing.status, previewing.body.code]).toEqual([422, 'validation_failed']);
    expect(previewing.body.errors).toEqual(saving.body.errors);
  });

  test('gives the line and column of an error', async () => {
    const { body } = await preview({ ...texts, text_body: 'Hello\n  {{#section}}' });
    expect(body.errors).toEqual([
      {
        field: 'text_body',
        message: expect.stringMatching(/^has an error at line 2, column 3: sections are not supported/),
      },
    ]);
  });

  test('refuses a name, and variables that would be refused when sending', async () => {
    const lineBreak = await preview({ ...texts, template_vars: { name: 'a\r\nBcc: x@example.com' } });
    expect(lineBreak.body.errors).toEqual([
      { field: 'template_vars.name', message: expect.stringContaining('line breaks') },
    ]);
    const tooLong = await preview({
      ...texts,
      html_body: '{{x}}'.repeat(2_000),
      template_vars: { x: '<'.repeat(60_000) },
    });
    expect([tooLong.status, tooLong.body.errors[0].field]).toEqual([422, 'template_vars']);
    expect((await preview(fields)).body.errors).toEqual([
      { field: 'name', message: 'is not a known field; remove it or check its spelling' },
    ]);
  });

  test('is open to any key and any session, but not without a credential', async () => {
    const narrow = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    for (const auth of [narrow, await t.login()])
      expect((await t.api.post(`${path}/preview`).set(auth).send(texts)).status).toBe(200);
    expect((await t.api.post(`${path}/preview`).send(texts)).status).toBe(401);
  });
});
