import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventTypes } from '@posthorn/contract';
import { listFields } from '../../src/docs/pages/field-table.js';
import { type ApiDocument, listOperations } from '../../src/docs/pages/operations.js';
import { readSite } from '../../src/docs/routes.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const document = JSON.parse(`${readSite().get('/openapi.json')}`) as ApiDocument;
const operations = listOperations(document);
const send = operations.find(({ id }) => id === 'sendEmail');
const fields = listFields(send?.body?.schema ?? {}, document.components.schemas).map(({ name }) => name);
const headers = ['Authorization', 'Idempotency-Key'];
const calls = operations.map(({ method, path }) => `${method} ${path}`);
const eventFields = listFields({ $ref: '#/components/schemas/EmailEventData' }, document.components.schemas).map(
  ({ name }) => `data.${name}`,
);

describe.each(['resend', 'postmark', 'ses'])('docs/api/coming-from-%s.md', (service) => {
  const text = readFileSync(join(import.meta.dirname, `../../../../docs/api/coming-from-${service}.md`), 'utf8');
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('shows a request that Posthorn accepts', async () => {
    const [, path = '', key, body = ''] =
      /^```http\nPOST (\S+)\n[\s\S]*?Idempotency-Key: (\S+)\n\n([\s\S]+?)\n```/m.exec(text) ?? [];
    const response = await t.api
      .post(path)
      .set({ ...t.auth, 'Idempotency-Key': key })
      .set('Content-Type', 'application/json')
      .send(body);
    expect([response.status, response.body.detail]).toEqual([202, undefined]);
  });

  test('names only fields, headers, calls and events of Posthorn in its second column', () => {
    const named = [...text.matchAll(/^\| [^|]+ \| ([^|]+) \| [^|]*\|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code),
    );
    expect(named.length).toBeGreaterThan(25);
    const known: string[] = [...fields, ...headers, ...calls, ...eventTypes, ...eventFields];
    expect(named.filter((code) => !known.includes(code ?? ''))).toEqual([]);
  });

  test('has a row for every field that a request can have', () => {
    const optional = ['domain_id', 'template_vars', 'attachments', 'tags[].name', 'tags[].value'];
    const missing = fields.filter((field) => !text.includes(`\`${field}\``) && !optional.includes(field));
    expect(missing).toEqual([]);
  });
});
