import { openTestApi, type TestApi } from '../open-test-api.js';

const DAY_MS = 86_400_000;

let t: TestApi;
let first: string;
let second: string;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
  const shipped = { to: ['Jane Doe <jane@example.com>'], bcc: ['boss@example.com'], subject: 'Order 1001 has shipped' };
  first = await send(shipped, { 'Idempotency-Key': 'order 1001' });
  second = await send({ to: ['joe@example.com'], subject: 'Order 1002 has shipped' });
});

afterAll(() => t.close());

async function send(email: object, headers: Record<string, string> = {}): Promise<string> {
  const request = t.api.post('/api/v1/emails').set(t.auth).set(headers);
  return (await request.send({ ...email, text: 'Hello' }).expect(202)).body.id;
}

const list = (query: object, auth: { Authorization: string } | { Cookie: string } = t.auth) =>
  t.api.get('/api/v1/emails').set(auth).query(query);

const listIds = (response: { body: { data: Array<{ id: string }> } }) => response.body.data.map(({ id }) => id);

describe('GET /api/v1/emails?q=', () => {
  test.each<[string, () => string[]]>([
    ['HAS shipped', () => [second, first]],
    ['1001', () => [first]],
    ['JANE@', () => [first]],
    ['ne doe', () => [first]],
    ['boss@', () => [first]],
    ['1003', () => []],
  ])('finds %s in recipients and subjects', async (q, expected) => {
    const response = await list({ q }).expect(200);
    expect(listIds(response)).toEqual(expected());
    expect(response.body).toMatchObject({ has_more: false, next_cursor: null });
  });

  test('searches only recipients for a key without emails:read', async () => {
    const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    expect(listIds(await list({ q: '1001' }, auth))).toEqual([]);
    const found = await list({ q: 'jane@' }, auth);
    expect(found.body.data).toMatchObject([{ id: first, subject: null }]);
    expect(listIds(await list({ q: '1001' }, await t.login()))).toEqual([first]);
  });

  test('goes back 30 days, or to created_after', async () => {
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    const old = await send({ to: ['old@example.com'], subject: 'An old one' });
    const at = Date.now() - 40 * DAY_MS;
    const hex = at.toString(16).padStart(12, '0');
    const oldId = `${hex.slice(0, 8)}-${hex.slice(8)}${old.slice(13)}`;
    const { db } = t.ctx;
    await db('email_recipients').where('email_id', old).update({ email_id: oldId });
    await db('deliveries').where('email_id', old).delete();
    await db('emails')
      .where('id', old)
      .update({ id: oldId, created_at: new Date(at) });
    expect(listIds(await list({ q: 'old@example' }))).toEqual([]);
    expect(listIds(await list({ q: 'old@example', created_after: ago(41) }))).toEqual([oldId]);
    expect(listIds(await list({ q: 'old@example', created_before: ago(39) }))).toEqual([oldId]);
    expect(listIds(await list({ q: 'old@example', created_before: ago(5) }))).toEqual([]);
    expect(listIds(await list({ to: 'old@example.com' }))).toEqual([oldId]);
    expect(listIds(await list({ q: 'old@example', message_id: oldId }))).toEqual([oldId]);
    expect(listIds(await list({ q: 'old@example', message_id: oldId, created_after: ago(39) }))).toEqual([]);
  });

  test('finds nothing of another workspace', async () => {
    const other = await t.otherTenant();
    expect(listIds(await list({ q: 'shipped' }, other.auth))).toEqual([]);
  });

  test.each([
    [{ q: 'ab' }, 'q', 'must have at least 3 characters; it has 2'],
    [{ q: '' }, 'q', 'must not be empty'],
    [{ q: 'x'.repeat(201) }, 'q', 'has 201 characters; the limit is 200'],
    [{ q: 'a\nb\tc' }, 'q', 'must be text without line breaks or control characters'],
    [{ search: 'order' }, 'search', 'is not a known query parameter. Did you mean q?'],
    [{ message_id: 'no-such-form' }, 'message_id', expect.stringContaining('must be a Message-ID of this service')],
    [{ message_id: 'x'.repeat(401) }, 'message_id', 'has 401 characters; the limit is 400'],
    [{ idempotency_key: 'é' }, 'idempotency_key', expect.stringContaining('printable ASCII')],
    [{ idempotency_key: 'x'.repeat(257) }, 'idempotency_key', 'has 257 characters; the limit is 256'],
    [{ format: 'xml' }, 'format', 'must be csv; without it, the response is JSON'],
    [{ format: 'csv', limit: 5 }, 'limit', expect.stringContaining('cannot be combined with format=csv')],
    [
      { format: 'csv', after: '0192f0c1-0000-7000-8000-000000000000' },
      'after',
      expect.stringContaining('leave it out'),
    ],
  ])('refuses %j', async (query, field, message) => {
    const { body } = await list(query).expect(422);
    expect(body.errors).toEqual([{ field, message }]);
  });
});

describe('GET /api/v1/emails?message_id=', () => {
  test('finds an email by its Message-ID, with or without angle brackets, and by its id', async () => {
    const { body } = await t.api.get(`/api/v1/emails/${first}`).set(t.auth);
    const messageId = `${first}@${body.from_.split('@')[1].replace('>', '')}`;
    for (const message_id of [messageId, `<${messageId}>`, messageId.toUpperCase(), first])
      expect([message_id, listIds(await list({ message_id }))]).toEqual([message_id, [first]]);
  });

  test('finds nothing for another sender domain, another email or another workspace', async () => {
    expect(listIds(await list({ message_id: `${first}@other.example` }))).toEqual([]);
    expect(listIds(await list({ message_id: '0192f0c1-0000-7000-8000-000000000000' }))).toEqual([]);
    expect(listIds(await list({ message_id: first }, (await t.otherTenant()).auth))).toEqual([]);
    expect(listIds(await list({ message_id: first, to: 'joe@example.com' }))).toEqual([]);
  });
});

describe('GET /api/v1/emails?idempotency_key=', () => {
  test('finds the email that was accepted with the key', async () => {
    expect(listIds(await list({ idempotency_key: 'order 1001' }))).toEqual([first]);
    expect(listIds(await list({ idempotency_key: 'order 1001', message_id: second }))).toEqual([]);
    expect(listIds(await list({ idempotency_key: 'order 1001', q: 'shipped' }))).toEqual([first]);
    expect(listIds(await list({ idempotency_key: 'order 1002' }))).toEqual([]);
    expect(listIds(await list({ idempotency_key: 'order 1001' }, (await t.otherTenant()).auth))).toEqual([]);
  });

  test('finds every email of a batch', async () => {
    const tenant = await t.otherTenant();
    const email = { to: ['jane@example.com'], subject: 'Hi', text: 'Hi' };
    const request = t.api.post('/api/v1/emails/batch').set(tenant.auth).set('Idempotency-Key', 'a batch');
    const { body } = await request.send([email, email]).expect(202);
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(listIds(await list({ idempotency_key: 'a batch' }, tenant.auth)).toSorted()).toEqual(ids.toSorted());
  });
});
