import { limits } from '@posthorn/domain';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { path } from './template-client.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});
afterAll(() => t.close());

const html = `<style>p { color: red }</style><h1>Hello {{name}}</h1><p>Open your <a href="https://shop.example/{{id}}">order</a>
  &amp; smile.</p><img src="https://shop.example/logo.png" alt="Logo"><ul><li>One</li><li>Two</li></ul>`;
const text = 'Hello {{name}}\n\nOpen your order (https://shop.example/{{id}}) & smile.\n\n * One\n * Two';
const fields = { name: 'Order', subject: 'Your order', html_body: html, text_from_html: true };

const create = (body: object) => t.api.post(path).set(t.auth).send(body);

describe('text_from_html', () => {
  test('generates the text when a template is created and when it is changed', async () => {
    const { status, body } = await create(fields);
    expect(status).toBe(201);
    expect(body).toMatchObject({ text_body: text, html_body: html });
    expect(body.variables.map(({ name }: { name: string }) => name)).toEqual(['name', 'id']);
    const changed = await t.api
      .patch(`${path}/${body.id}`)
      .set(t.auth)
      .send({ html_body: '<p>Bye</p>', text_from_html: true });
    expect(changed.body).toMatchObject({ text_body: 'Bye', version: 2 });
  });

  test.each([
    [{ text_body: 'Mine' }, 'text_body', 'cannot be combined with text_from_html, which generates it'],
    [{ text_from_html: false }, 'text_body', 'is required'],
    [{ text_from_html: 'yes' }, 'text_from_html', 'must be true or false'],
    [{ html_body: '<img src="a.png">' }, 'text_from_html', 'finds no text in html_body. Write text_body yourself'],
    [
      { html_body: 'x'.repeat(limits.derivedText.max + 1) },
      'text_from_html',
      'supports an html_body of up to 250,000 characters; this one has 250,001. Write text_body yourself',
    ],
  ])('refuses %j', async (changes, field, message) => {
    const { status, body } = await create({ ...fields, ...changes });
    expect(status).toBe(422);
    expect(body.errors).toContainEqual({ field, message: expect.stringContaining(message) });
  });

  test('needs html_body in a change, because the stored one may change at the same time', async () => {
    const { body } = await create(fields);
    const refused = await t.api.patch(`${path}/${body.id}`).set(t.auth).send({ text_from_html: true });
    expect(refused.body.errors).toEqual([
      { field: 'text_from_html', message: 'requires html_body, because the text is generated from it' },
    ]);
  });

  test('does not keep other requests waiting while the HTML is read', async () => {
    const deep = '<b>x'.repeat(limits.derivedText.max / 4);
    let derived = false;
    const slow = create({ ...fields, html_body: deep }).then(() => {
      derived = true;
    });
    await t.api.get('/healthz');
    expect(derived).toBe(false);
    await slow;
  });
});
