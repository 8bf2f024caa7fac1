import { limits } from '@posthorn/domain/limits';
import fc from 'fast-check';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, path } from './template-client.js';

describe('template_vars', () => {
  let t: TestApi;
  let id: string;

  beforeAll(async () => {
    t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
    ({ id } = await createTemplate(t, { subject: 's', html_body: '{{a}}', text_body: '{{a}}' }));
  });
  afterAll(() => t.close());

  test.each([
    ['"text"', '<b>', '<b>'],
    ['a number', 0.1, '0.1'],
    ['a large number', 9_007_199_254_740_991, '9007199254740991'],
    ['a small number', 1e-7, '1e-7'],
    ['false', false, 'false'],
    ['an empty string', '', ''],
  ])('can contain %s', async (_what, value, text) => {
    expect((await preview(JSON.stringify({ template_vars: { a: value } }))).body).toMatchObject({ text, missing: [] });
  });

  test.each([
    ['{"a": {}}', 'template_vars.a'],
    ['{"a": ["x"]}', 'template_vars.a'],
    ['{"a": 1e400}', 'template_vars.a'],
    ['{"a": 12345678901234567890}', 'template_vars.a'],
    ['{"__proto__": "x"}', 'template_vars.__proto__'],
    ['{"__proto__": {"a": "x"}}', 'template_vars.__proto__'],
    ['{"constructor": "x"}', 'template_vars.constructor'],
    ['{"prototype": "x"}', 'template_vars.prototype'],
    ['{"": "x"}', 'template_vars'],
    [`{"${'n'.repeat(limits.templateVarName.max + 1)}": "x"}`, 'template_vars'],
    ['[]', 'template_vars'],
    ['"text"', 'template_vars'],
    [`{"a": "${'x'.repeat(limits.templateVarsBytes.max)}"}`, 'template_vars'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: limits.templateVars.max + 1 }, (_, n) => [`v${n}`, n]))),
      'template_vars',
    ],
  ])('refuses %.60s', async (vars, field) => {
    for (const response of [await preview(`{"template_vars": ${vars}}`), await send(vars)]) {
      expect(response.status).toBe(422);
      expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
    }
  });

  test('can have as many names and bytes as the limits allow', async () => {
    const names = Array.from({ length: limits.templateVars.max }, (_, n) =>
      `n${n}`.padEnd(limits.templateVarName.max, 'x'),
    );
    expect(
      (await preview(JSON.stringify({ template_vars: Object.fromEntries(names.map((name) => [name, 1])) }))).status,
    ).toBe(200);
    const bytes = limits.templateVarsBytes.max - '{"a":""}'.length;
    expect((await preview(JSON.stringify({ template_vars: { a: 'x'.repeat(bytes) } }))).status).toBe(200);
    expect((await preview(JSON.stringify({ template_vars: { a: 'x'.repeat(bytes + 1) } }))).status).toBe(422);
  });

  test('must have a value for every variable of the template when sending, and null is not a value', async () => {
    for (const vars of ['{}', '{"a": null}', '{"b": "x"}']) {
      const response = await send(vars);
      expect(response.status).toBe(422);
      expect(response.body).toMatchObject({
        code: 'missing_template_variables',
        detail: 'The template needs a value for a. Add it to template_vars.',
      });
    }
    expect((await send('{"a": ""}')).status).toBe(202);
  });

  test('never lead to a 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (json) => {
        const response = await preview(`{"template_vars": ${json}}`);
        expect([200, 422]).toContain(response.status);
        if (response.status === 200) expect(response.body.html).not.toMatch(/[<>"']|native code|\[object/);
      }),
      { numRuns: 100 },
    );
  });

  function preview(body: string) {
    return t.api.post(`${path}/${id}/preview`).set(t.auth).type('application/json').send(body);
  }

  function send(vars: string) {
    const body = `{"to": ["jane@example.com"], "template_id": "${id}", "template_vars": ${vars}}`;
    return t.api.post('/api/v1/emails').set(t.auth).type('application/json').send(body);
  }
});
