import { openTestApi, type TestApi } from '../open-test-api.js';
import { acceptWithLink, readEvents, readSuppressions } from './links.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
  await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ name: 'Acme <b>& Sons</b>' });
});

afterEach(() => t.close());

const submit = (path: string, fields: object) => t.api.post(path).type('form').send(fields);

describe('GET', () => {
  test('shows the sender and a button, and changes nothing', async () => {
    const { id, path } = await acceptWithLink(t);
    const { status, text, headers } = await t.api.get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>Emails from Acme &lt;b&gt;&amp; Sons&lt;/b&gt;</h1>');
    expect(text).toContain('<button name="action" value="unsubscribe">Unsubscribe from “newsletter”</button>');
    await t.api.head(path).expect(200);
    await t.api.get(`${path}?utm_source=x`).expect(200);
    expect(await readSuppressions(t)).toEqual([]);
    expect(await readEvents(t, id)).toEqual(['1 email.accepted']);
  });

  test('runs no scripts, is not cached or indexed, and tells no other site its address', async () => {
    const { path } = await acceptWithLink(t);
    const { text, headers } = await t.api.get(path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none';.*form-action 'self';frame-ancestors 'none';style-src 'sha256-[\w+/]{43}='$/,
      ),
    });
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toMatch(/<script|javascript:| on\w+=/i);
    expect(text).toContain('<meta charset="utf-8">');
  });

  test.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'Von „newsletter“ abmelden'],
    ['fr', 'fr', 'Se désabonner de « newsletter »'],
    ['es-MX', 'es', 'Darse de baja de «newsletter»'],
    ['ja', 'en', 'Unsubscribe from “newsletter”'],
    ['', 'en', 'Unsubscribe from “newsletter”'],
  ])('is in the language that the browser prefers: %s', async (accepted, language, label) => {
    const { path } = await acceptWithLink(t);
    const { text } = await t.api.get(path).set('Accept-Language', accepted);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(label);
    const invalid = await t.api.get('/u/x').set({ Accept: 'text/html,*/*;q=0.8', 'Accept-Language': accepted });
    expect(invalid.status).toBe(404);
    expect(invalid.text).toContain(`<html lang="${language}">`);
  });
});

describe('the buttons', () => {
  test('unsubscribe from the topic, and subscribe again', async () => {
    const { id, path } = await acceptWithLink(t);
    const left = await submit(path, { action: 'unsubscribe', topic: 'newsletter' }).expect(200);
    expect(left.text).toContain('<p role="status">You have unsubscribed from “newsletter”.</p>');
    expect(left.text).toContain('<button name="action" value="subscribe">Subscribe to “newsletter” again</button>');
    expect(await readSuppressions(t)).toMatchObject([
      { topic: 'newsletter', email_id: id, detail: 'Unsubscribed on the page of the link' },
    ]);
    const again = await submit(path, { action: 'subscribe', topic: 'newsletter' }).expect(200);
    expect(again.text).toContain('<p role="status">You have subscribed to “newsletter” again.</p>');
    expect(await readSuppressions(t)).toEqual([]);
  });

  test('unsubscribe from all topics, and take that back', async () => {
    const { path } = await acceptWithLink(t);
    const left = await submit(path, { action: 'unsubscribe' }).expect(200);
    expect(left.text).toContain('You have unsubscribed from all topics.');
    expect(await readSuppressions(t)).toMatchObject([{ topic: '', reason: 'unsubscribe' }]);
    expect((await t.api.get(path)).text).not.toContain('value="unsubscribe"');
    await submit(path, { action: 'subscribe' }).expect(200);
    expect(await readSuppressions(t)).toEqual([]);
  });

  test('show the other topics that the address has unsubscribed from', async () => {
    const offers = await acceptWithLink(t, { topic: 'offers' });
    await submit(offers.path, { 'List-Unsubscribe': 'One-Click' }).expect(200);
    const { path } = await acceptWithLink(t);
    const { text } = await t.api.get(path);
    expect(text).toContain('You are not subscribed to “offers”.');
    expect(text).toContain('You are subscribed to “newsletter”.');
    await submit(path, { action: 'subscribe', topic: 'offers' }).expect(200);
    expect(await readSuppressions(t)).toEqual([]);
  });

  test('never remove a suppression with another reason', async () => {
    const { path } = await acceptWithLink(t);
    const row = { workspace_id: t.workspace.id, address: 'jane@example.com', reason: 'complaint' };
    await t.ctx.db('suppressions').insert({ id: t.workspace.id, ...row });
    await submit(path, { action: 'subscribe' }).expect(200);
    await submit(path, { action: 'subscribe', topic: 'newsletter' }).expect(200);
    expect(await readSuppressions(t)).toMatchObject([{ reason: 'complaint' }]);
  });

  test('cannot add suppressions for topics of which the recipient got no email', async () => {
    const { path } = await acceptWithLink(t);
    const { body } = await submit(path, { action: 'unsubscribe', topic: 'other' }).expect(422);
    expect(body.errors).toEqual([{ field: 'topic', message: 'must be newsletter, the topic of the link' }]);
    expect(await readSuppressions(t)).toEqual([]);
  });

  test.each(['<script>alert(1)</script>', '', 'a\0b', 'x'.repeat(65)])('refuse %j as a topic', async (topic) => {
    const { path } = await acceptWithLink(t);
    for (const action of ['subscribe', 'unsubscribe']) {
      const { body } = await submit(path, { action, topic }).expect(422);
      expect(body.errors).toMatchObject([{ field: 'topic', message: expect.stringContaining('1 to 64') }]);
    }
  });
});
