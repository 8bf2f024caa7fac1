import { findStoredMessage } from '@posthorn/domain/emails';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi();
});

afterAll(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const post = (body: object) =>
  t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ ...email, ...body });

async function accept(body: object) {
  const { status, body: accepted } = await post(body);
  expect([status, accepted.errors]).toEqual([202, undefined]);
  const message = await findStoredMessage(t.ctx.db, t.workspace.id, accepted.id);
  if (!message) throw new Error('The email is not stored');
  return { accepted, message };
}

test('an optional field that is null is left out', async () => {
  const nulls = { cc: null, bcc: null, reply_to: null, html: null, headers: null, tags: null, attachments: null };
  const { accepted } = await accept({
    ...nulls,
    scheduled_at: null,
    expires_at: null,
    priority: null,
    template_id: null,
  });
  expect(accepted).toMatchObject({ status: 'queued', scheduled_at: null });
  const { body } = await post({ to: null });
  expect(body.errors[0].field).toBe('to');
});

test('a time without the colon in its offset is refused with the time that would do', async () => {
  const { status, body } = await post({ scheduled_at: '2027-12-20T09:30:00+0100' });
  const message = 'needs a colon in its offset: 2027-12-20T09:30:00+01:00';
  expect([status, body.errors]).toEqual([422, [{ field: 'scheduled_at', message }]]);
});

test('a time less than a minute ago is due at once, and an earlier one is refused', async () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
  await accept({ scheduled_at: ago(5) });
  await post({ scheduled_at: ago(90) }).expect(422);
});

test('the Date of a scheduled message is its time, also after a change', async () => {
  const at = new Date(Date.now() + 20 * 86_400_000);
  const { accepted, message } = await accept({ scheduled_at: at.toISOString() });
  expect(message.date).toEqual(at);
  const later = new Date(at.getTime() + 3_600_000);
  await t.api
    .patch(`/api/v1/emails/${accepted.id}`)
    .set(t.auth)
    .send({ scheduled_at: later.toISOString() })
    .expect(200);
  expect((await findStoredMessage(t.ctx.db, t.workspace.id, accepted.id))?.date).toEqual(later);
});

test('a content id may have the brackets of its header field', async () => {
  const file = { filename: 'logo.png', content: 'eA==', content_id: '<logo>' };
  const { message } = await accept({ html: '<img src="cid:logo">', attachments: [file] });
  expect(message.attachments).toMatchObject([{ contentId: 'logo' }]);
});

test('a text in UTF-8 says so, and no other file', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { message } = await accept({
    attachments: [
      { filename: 'notes.txt', content: base64('Grüße') },
      { filename: 'plain.csv', content: base64('a,b') },
      { filename: 'latin.txt', content: Buffer.from('Grüße', 'latin1').toString('base64') },
      { filename: 'page.html', content: base64('ü'), content_type: 'text/html; charset=utf-16' },
      { filename: 'data.json', content: base64('"ü"') },
    ],
  });
  expect(message.attachments.map(({ contentType }) => contentType)).toEqual([
    'text/plain; charset=utf-8',
    'text/csv',
    'text/plain',
    'text/html; charset=utf-16',
    'application/json',
  ]);
});
