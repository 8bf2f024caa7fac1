import { randomBytes } from 'node:crypto';
import { insertReports } from '@posthorn/domain/bounces';
import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let id: string;

beforeEach(async () => {
  t = await openTestApi();
  const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
  id = (await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202)).body.id;
});

afterEach(() => t.close());

/** Stores a message as the bounce listener does. */
async function receive(raw: Buffer, size = raw.length): Promise<void> {
  const digest = randomBytes(32);
  const envelope = { emailId: id, positions: [0] };
  await insertReports(t.ctx.db, [{ envelope, mailbox: null, peer: null, raw, size, digest }]);
}

const list = (headers: object) => t.api.get(`/api/v1/emails/${id}/reports`).set(headers as Record<string, string>);

test('a session reads the reports about an email, newest first, and long ones are cut', async () => {
  const session = await t.login();
  expect((await list(session)).body).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null });
  await receive(Buffer.from('Subject: Zurück\r\n\r\n550 \0 no'));
  await receive(Buffer.alloc(limits.storedReportBytes.max, 'x'), limits.reportBytes.max);
  const { status, body } = await list(session);
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    { kind: null, result: null, size: limits.reportBytes.max, truncated: true },
    { object: 'report', size: 28, text: 'Subject: Zurück\r\n\r\n550 \0 no', truncated: false },
  ]);
  expect(body.data[0].text).toBe('x'.repeat(limits.shownReportBytes.max));
});

test('after an erasure, the text is gone', async () => {
  await receive(Buffer.from('Subject: Zurück\r\n\r\n550 no'));
  await t.ctx.db('feedback_reports').where({ email_id: id }).update({ raw: null });
  const { body } = await list(await t.login());
  expect(body.data).toMatchObject([{ text: null, truncated: false }]);
});

test('keys and other workspaces cannot read them', async () => {
  expect((await list(t.auth)).status).toBe(401);
  const other = await t.otherTenant();
  const login = await t.api.post('/auth/login').send(other.user).expect(200);
  const [cookie = ''] = login.get('Set-Cookie') ?? [];
  expect((await list({ Cookie: cookie.split(';')[0] })).status).toBe(404);
});
