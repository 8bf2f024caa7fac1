import { type Scope, scopes } from '@posthorn/contract';
import { openTestApi, type TestApi } from '../open-test-api.js';

const CODE = '482913';
const CONTENT = { subject: null, html: null, text: null, template_vars: null };

let t: TestApi;
let templateId: string;
let id: string;

beforeAll(async () => {
  t = await openTestApi();
  const template = {
    name: 'Code',
    subject: 'Your code is {{code}}',
    html_body: '<b>{{code}}</b>',
    text_body: '{{code}}',
  };
  const { body } = await t.api.post('/api/v1/templates').set(t.auth).send(template).expect(201);
  templateId = body.id;
  await accept({ subject: `Your code is ${CODE}`, text: CODE });
});

// Each test gets a new email, because a canceled email cannot be rescheduled.
beforeEach(async () => {
  id = await accept({ template_id: templateId, template_vars: { code: CODE } });
});

afterAll(() => t.close());

async function accept(content: object): Promise<string> {
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const email = { to: ['jane@example.com'], scheduled_at, ...content };
  return (await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202)).body.id;
}

async function authWith(...wanted: Scope[]) {
  return { Authorization: `Bearer ${await t.keyWith(wanted)}` };
}

/** Every way to read emails. */
const reads: Array<[title: string, (auth: { Authorization: string }) => ReturnType<TestApi['api']['get']>]> = [
  ['GET /emails', (auth) => t.api.get('/api/v1/emails').set(auth)],
  ['GET /emails?to=', (auth) => t.api.get('/api/v1/emails?to=jane@example.com').set(auth)],
  ['GET /emails/stats', (auth) => t.api.get('/api/v1/emails/stats').set(auth)],
  ['GET /emails/{id}', (auth) => t.api.get(`/api/v1/emails/${id}`).set(auth)],
];

const changes: typeof reads = [
  [
    'PATCH /emails/{id}',
    (auth) =>
      t.api
        .patch(`/api/v1/emails/${id}`)
        .set(auth)
        .send({ scheduled_at: new Date(Date.now() + 7_200_000).toISOString() }),
  ],
  ['POST /emails/{id}/cancel', (auth) => t.api.post(`/api/v1/emails/${id}/cancel`).set(auth)],
];

describe('reading emails with a key', () => {
  test.each(reads)('needs emails:send or emails:read, and the 403 names both: %s', async (_title, read) => {
    for (const scope of scopes) {
      const { status, body } = await read(await authWith(scope));
      if (scope === 'emails:send' || scope === 'emails:read') expect([scope, status]).toEqual([scope, 200]);
      else {
        expect([scope, status, body.code]).toEqual([scope, 403, 'missing_scope']);
        expect(body.detail).toBe(
          'This API key has neither the scope emails:send nor emails:read. Create a key that has one of them.',
        );
      }
    }
  });

  test('says that the content was deleted, and shows the rest', async () => {
    const path = `/api/v1/emails/${id}`;
    const reading = await authWith('emails:read');
    const before = (await t.api.get(path).set(reading).expect(200)).body;
    expect(before.content_removed).toBe(false);
    await t.ctx.db('email_contents').where({ email_id: id }).delete();
    const removed = { content_removed: true, html: null, text: null, template_vars: null, attachments: null };
    const gone = { ...removed, cc: [], bcc: [], reply_to: [], headers: {} };
    expect((await t.api.get(path).set(reading).expect(200)).body).toEqual({ ...before, ...gone });
  });

  test('shows the whole email to a key with emails:read and to a session', async () => {
    for (const auth of [await authWith('emails:read'), await t.login()]) {
      const { body } = await t.api.get(`/api/v1/emails/${id}`).set(auth);
      expect(body).toMatchObject({
        subject: `Your code is ${CODE}`,
        html: `<b>${CODE}</b>`,
        text: CODE,
        template_vars: { code: CODE },
      });
      const list = await t.api.get('/api/v1/emails').set(auth);
      const subjects = list.body.data.map(({ subject }: { subject: string }) => subject);
      expect([...new Set(subjects)]).toEqual([`Your code is ${CODE}`]);
    }
  });

  test.each([...reads, ...changes])('without emails:read never shows the content: %s', async (_title, read) => {
    const { status, text, body } = await read(await authWith('emails:send', 'templates:write', 'domains:write'));
    expect(status).toBe(200);
    expect(text).not.toContain(CODE);
    if (body.id === id) expect(body).toMatchObject(CONTENT);
    for (const email of body.data ?? []) expect(email.subject).toBeNull();
  });
});
