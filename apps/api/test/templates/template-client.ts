import type { CreateTemplateRequest, Template } from '@posthorn/contract';
import type { TestApi, TestTenant } from '../open-test-api.js';

export const path = '/api/v1/templates';

export const fields: CreateTemplateRequest = {
  name: 'Welcome',
  subject: 'Hi {{name}}',
  html_body: '<p>{{name}}, {{{link}}}</p>',
  text_body: '{{name}}: {{code}}',
};

/** Variables as a response lists them if the template declares no defaults or samples. */
export const undeclared = (...names: string[]) => names.map((name) => ({ name, default: null, sample: null }));

export async function createTemplate(
  t: TestApi,
  changes: Partial<CreateTemplateRequest> = {},
  { auth }: Pick<TestTenant, 'auth'> = t,
): Promise<Template> {
  const response = await t.api
    .post(path)
    .set(auth)
    .send({ ...fields, ...changes });
  if (response.status !== 201) throw new Error(`Creating a template returned ${response.status}: ${response.text}`);
  return response.body;
}
