import { eraseNextBatch } from '@posthorn/domain/erasure';
import { join } from '../members/member-client.js';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let owner: { Cookie: string };

beforeEach(async () => {
  t = await openTestApi();
  owner = await t.login();
});

afterEach(() => t.close());

const erase = (address: string, headers: Record<string, string> = owner) =>
  t.api.delete(`/api/v1/recipients/${encodeURIComponent(address)}`).set(headers);

const sendEmail = async (fields: object = {}, headers: Record<string, string> = {}) =>
  t.api
    .post('/api/v1/emails')
    .set({ ...t.auth, ...headers })
    .send({ to: ['jane@example.com'], subject: 'Code', text: '123456', ...fields });

async function work(): Promise<void> {
  await t.ctx
    .db('erasures')
    .where({ workspace_id: t.workspace.id })
    .whereNotNull('due_at')
    .update({ due_at: new Date(0) });
  while (await eraseNextBatch(t.ctx, { lateResponseSeconds: 0 }));
}

test('an owner erases a recipient, and follows the progress', async () => {
  await sendEmail();
  const { body } = await erase('Jane@Example.com').expect(202);
  expect(body).toEqual({
    object: 'erasure',
    id: expect.any(String),
    status: 'pending',
    erased_emails: 0,
    waiting_emails: 0,
    requested_at: expect.any(String),
    finished_at: null,
  });
  await work();
  const finished = await t.api.get(`/api/v1/erasures/${body.id}`).set(owner).expect(200);
  expect(finished.body).toEqual({
    ...body,
    status: 'finished',
    erased_emails: 1,
    finished_at: expect.stringMatching(/Z$/),
    waiting_email_ids: [],
  });
  const { waiting_email_ids, ...listed } = finished.body;
  expect((await t.api.get('/api/v1/erasures').set(owner).expect(200)).body.data).toEqual([listed]);
  await t.api.get('/api/v1/erasures/x').set(owner).expect(404);
});

test('an erasure lists the emails that it waits for, newest first', async () => {
  const to = ['jane@example.com', 'ann@example.com'];
  const [first, second] = [(await sendEmail({ to })).body, (await sendEmail({ to })).body];
  const { id } = (await erase('jane@example.com')).body;
  await work();
  const { body } = await t.api.get(`/api/v1/erasures/${id}`).set(owner).expect(200);
  expect(body).toMatchObject({ waiting_emails: 2, waiting_email_ids: [second.id, first.id] });
});

test('a pattern is an address like any other, and plus-addresses are separate', async () => {
  const to = 'jane+news@example.com';
  const { body } = await sendEmail({ to: [to] });
  for (const address of ['*@example.com', '%@example.com', 'jane@example.com']) await erase(address).expect(202);
  await work();
  expect((await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth)).body.to).toEqual([to]);
});

test('the response is the same for an address without email', async () => {
  await sendEmail();
  const [known, unknown] = [(await erase('jane@example.com')).body, (await erase('nobody@example.com')).body];
  expect({ ...unknown, id: '', requested_at: '' }).toEqual({ ...known, id: '', requested_at: '' });
});

test('the address can be written with an internationalized domain', async () => {
  const { body } = await sendEmail({ to: ['jane@bücher.example'] });
  await erase('JANE@bücher.example').expect(202);
  await work();
  expect((await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth)).body.to).toEqual(['erased-1@erased.invalid']);
});

test.each(['jane', 'Jane <jane@example.com>', 'jane@example.com,ann@example.com', '@', ' '])(
  '%s is refused with the name of the parameter',
  async (text) => {
    const { status, body } = await erase(text);
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([422, 'validation_failed', 'address']);
    expect(await t.ctx.db('erasures').where({ workspace_id: t.workspace.id })).toEqual([]);
  },
);

test('keys and members may not erase or read erasures, and other workspaces do not see them', async () => {
  const { id } = (await erase('jane@example.com')).body;
  const { session: member } = await join(t, owner, newAddress('bob'));
  const other = await t.otherTenant();
  const login = await t.api.post('/auth/login').send(other.user);
  const stranger = { Cookie: login.get('Set-Cookie')?.[0]?.split(';')[0] ?? '' };
  await erase('jane@example.com', t.auth).expect(401);
  await erase('jane@example.com', member).expect(403);
  await t.api.get(`/api/v1/erasures/${id}`).set(member).expect(403);
  await t.api.get('/api/v1/erasures').set(t.auth).expect(401);
  await t.api.get(`/api/v1/erasures/${id}`).set(stranger).expect(404);
  expect((await t.api.get('/api/v1/erasures').set(stranger)).body.data).toEqual([]);
});

test('the audit log says who erased a recipient, but not which', async () => {
  const { id } = (await erase('jane@example.com')).body;
  const { body } = await t.api.get('/api/v1/audit-log').query({ action: 'recipient.erased' }).set(owner).expect(200);
  const label = expect.stringMatching(/^[0-9a-f]{12}$/);
  expect(body.data).toMatchObject([
    {
      actor: { label: t.user.email },
      target: { type: 'recipient', id, label },
      changes: { address_hash: { to: label } },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain('jane');
  const again = (await erase('JANE@example.com')).body;
  const [newer] = (await t.api.get('/api/v1/audit-log').query({ target: again.id }).set(owner)).body.data;
  expect(newer.target.label).toBe(body.data[0].target.label);
});

test('an erased email shows that it was erased, and its message can no longer be read', async () => {
  const { body: accepted } = await sendEmail({ tags: [{ name: 'who', value: 'jane' }] });
  await erase('jane@example.com');
  await work();
  const { body: email } = await t.api.get(`/api/v1/emails/${accepted.id}`).set(t.auth).expect(200);
  expect(email).toMatchObject({
    status: 'canceled',
    to: ['erased-1@erased.invalid'],
    subject: '(erased)',
    tags: [],
    content_removed: true,
    erased_at: expect.stringMatching(/Z$/),
    recipients: [{ address: 'erased-1@erased.invalid', status: 'canceled', smtp_response: null }],
  });
  const message = await t.api.get(`/api/v1/emails/${accepted.id}/message`).set(owner);
  expect([message.status, message.body.code]).toEqual([409, 'conflict']);
  const lists = [{ to: 'jane@example.com' }, { q: 'jane' }, { q: 'Code' }, { tag: 'who:jane' }];
  for (const query of lists)
    expect((await t.api.get('/api/v1/emails').query(query).set(t.auth).expect(200)).body.data).toEqual([]);
  expect((await t.api.get('/api/v1/emails').set(t.auth)).body.data).toMatchObject([{ id: accepted.id }]);
  const { body: events } = await t.api.get('/api/v1/events').set(t.auth).expect(200);
  expect(events.data.map(({ type }: { type: string }) => type)).toEqual(['email.accepted', 'email.canceled']);
});

test('a repeated request sends nothing and gets a response without the address', async () => {
  const key = { 'Idempotency-Key': 'order-1' };
  const [first, other] = [await sendEmail({}, key), { to: ['ann@example.com'], subject: 'Hi', text: 'Hi' }];
  const batch = [other, { to: ['Jane <jane@example.com>', 'ann@example.com'], subject: 'Code', text: '1' }];
  const sendBatch = () =>
    t.api
      .post('/api/v1/emails/batch')
      .set({ ...t.auth, 'Idempotency-Key': 'order-2' })
      .send(batch);
  const sent = await sendBatch();
  await erase('jane@example.com');
  await work();
  const again = await sendEmail({}, key);
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([202, 'true']);
  expect(again.body).toEqual({ ...first.body, to: ['erased-1@erased.invalid'], subject: '(erased)' });
  const [kept, erased] = sent.body.data;
  expect((await sendBatch()).body.data).toEqual([
    kept,
    { ...erased, to: ['erased-1@erased.invalid', 'ann@example.com'], subject: '(erased)' },
  ]);
  expect(await t.ctx.db('emails').where({ workspace_id: t.workspace.id })).toHaveLength(3);
});

test.each([
  ['an error', 'permissive', [{ to: ['ann@example.com'], subject: 'Hi', text: 'Hi' }, { to: 'Jane@example.com' }]],
  ['a warning', null, [{ to: ['ann@example.com', 'jane@example.com'], subject: 'Hi', text: 'Hi' }]],
])('the address is erased from %s in the response to a repeated request', async (_where, mode, batch) => {
  await t.api.post('/api/v1/suppressions').set(t.auth).send({ address: 'jane@example.com' }).expect(201);
  const send = () =>
    t.api
      .post(`/api/v1/emails/batch${mode === null ? '' : `?mode=${mode}`}`)
      .set({ ...t.auth, 'Idempotency-Key': 'order-1' })
      .send(batch)
      .expect(202);
  expect((await send()).text.toLowerCase()).toContain('jane@example.com');
  await erase('jane@example.com');
  await work();
  const again = await send();
  expect([again.headers['idempotent-replayed'], again.text.toLowerCase().includes('jane@')]).toEqual(['true', false]);
});

test('a later email to the address is accepted as usual', async () => {
  await erase('jane@example.com');
  await work();
  const { body } = await sendEmail();
  expect(body).toMatchObject({ status: 'queued', to: ['jane@example.com'] });
});
