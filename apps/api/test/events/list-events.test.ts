import type { Event } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { markDomainVerified } from '@posthorn/domain/domains';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { until } from '@posthorn/testing';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

type Headers = Record<string, string>;

const events = (query = '', auth: Headers = t.auth) => t.api.get(`/api/v1/events${query}`).set(auth);
const send = (fields: object = {}, auth: Headers = t.auth) =>
  t.api
    .post('/api/v1/emails')
    .set(auth)
    .send({ to: ['jane@example.com'], subject: 'Hello', text: 'Secret text', ...fields });

const listTypes = ({ body }: { body: { data: Event[] } }) => body.data.map(({ type }) => type);
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Reads the whole log, a few events at a time. */
async function readAll(auth: Headers = t.auth): Promise<Event[]> {
  const all: Event[] = [];
  let after = '';
  for (;;) {
    const { body } = await events(`?limit=2${after}`, auth).expect(200);
    all.push(...body.data);
    if (!body.has_more) return all;
    after = `&after=${body.next_cursor}`;
  }
}

test('an accepted email is an event without any of its content', async () => {
  const { body: email } = await send();
  const response = await events().expect(200);
  expect(response.body).toEqual({
    object: 'list',
    data: [
      {
        object: 'event',
        id: expect.any(String),
        type: 'email.accepted',
        created_at: email.created_at,
        sequence: 1,
        data: { email_id: email.id, recipient: null, status: 'queued', reason: null, mode: 'live' },
      },
    ],
    has_more: false,
    next_cursor: expect.any(String),
  });
  expect(response.text).not.toContain('Secret text');
});

test('scheduling, rescheduling and canceling are events with rising sequences', async () => {
  const { body: email } = await send({ scheduled_at: inAnHour() });
  const path = `/api/v1/emails/${email.id}`;
  await t.api.patch(path).set(t.auth).send({ scheduled_at: inAnHour() }).expect(200);
  await t.api.post(`${path}/cancel`).set(t.auth).expect(200);
  const { body } = await events();
  expect(
    body.data.map(({ type, sequence, data }: Event) => [type, sequence, (data as { status: string }).status]),
  ).toEqual([
    ['email.accepted', 1, 'scheduled'],
    ['email.scheduled', 2, 'scheduled'],
    ['email.scheduled', 3, 'scheduled'],
    ['email.canceled', 4, 'canceled'],
  ]);
  const { body: shown } = await t.api.get(path).set(t.auth);
  expect(shown.events.map(({ id }: Event) => id)).toEqual(body.data.map(({ id }: Event) => id));
});

test('the first two events of an email are listed in their order, whatever its id', async () => {
  const requests = Array.from({ length: 100 }, () => ({
    ...{ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' },
    scheduled_at: inAnHour(),
  }));
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { rate: 1_000 });
  const { body } = await t.api.post('/api/v1/emails/batch').set(t.auth).send(requests).expect(202);
  const lastDigits = new Set(body.data.map(({ id }: { id: string }) => id.at(-1)));
  expect(lastDigits.size).toBeGreaterThan(8);
  await until(async () => (await readAll()).length >= 200);
  const all = await readAll();
  for (const { id } of body.data) {
    const listed = all.filter(({ data }) => (data as { email_id: string }).email_id === id);
    expect(listed.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(new Set([id, ...listed.map((event) => event.id)]).size).toBe(3);
  }
});

test('a reader that follows next_cursor sees every event once', async () => {
  for (let count = 0; count < 5; count += 1) await send();
  expect(await readAll()).toHaveLength(5);
  const { body } = await events('?limit=5');
  expect([body.has_more, typeof body.next_cursor]).toEqual([false, 'string']);
  const idle = await events(`?after=${body.next_cursor}`);
  expect(idle.body).toMatchObject({ data: [], has_more: false, next_cursor: body.next_cursor });
  await send();
  const fresh = await events(`?after=${body.next_cursor}`);
  expect(listTypes(fresh)).toEqual(['email.accepted']);
});

test('after=latest begins behind everything that exists', async () => {
  await send();
  const { body } = await events('?after=latest');
  expect(body).toMatchObject({ data: [], has_more: false });
  await send();
  expect(listTypes(await events(`?after=${body.next_cursor}`))).toEqual(['email.accepted']);
});

test('type and email_id filter the events', async () => {
  const { body: email } = await send({ scheduled_at: inAnHour() });
  await send();
  expect(listTypes(await events('?type=email.scheduled'))).toEqual(['email.scheduled']);
  expect(listTypes(await events(`?email_id=${email.id}`))).toEqual(['email.accepted', 'email.scheduled']);
  expect(listTypes(await events(`?email_id=${email.id}&type=email.accepted`))).toEqual(['email.accepted']);
});

test.each([
  ['?type=sent', 'type'],
  ['?email_id=1', 'email_id'],
  ['?after=1', 'after'],
  ['?after=01_0192f0c1-0000-7000-8000-000000000000', 'after'],
  ['?after=99999999999999999999_0192f0c1-0000-7000-8000-000000000000', 'after'],
  ['?before=1', 'before'],
  ['?limit=101', 'limit'],
])('%s is refused, and the error names the parameter', async (query, field) => {
  const { status, body } = await events(query);
  expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
});

test('reading needs emails:read', async () => {
  const { status, body } = await events('', { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` });
  expect([status, body.code]).toEqual([403, 'missing_scope']);
  expect(body.detail).toContain('emails:read');
});

test('another workspace sees nothing, not even with the cursor or the email', async () => {
  const { body: email } = await send();
  const { auth } = await t.otherTenant();
  expect(await readAll(auth)).toEqual([]);
  expect((await events(`?email_id=${email.id}`, auth)).body.data).toEqual([]);
});

test('test mail has a log of its own', async () => {
  const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send', 'emails:read'], 'test')}` };
  await send({}, auth);
  expect((await events('', auth)).body.data).toMatchObject([{ data: { mode: 'test' } }]);
  expect((await events()).body.data).toEqual([]);
  expect((await events('?mode=test', await t.login())).body.data).toHaveLength(1);
});

test('reaching 80 and 100 percent of a cap is one event each, even after a refund', async () => {
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 10, daily: 5 });
  const sent = [];
  for (let count = 0; count < 4; count += 1) sent.push((await send()).body.id);
  await t.api.post(`/api/v1/emails/${sent[3]}/cancel`).set(t.auth).expect(200);
  await send();
  await send();
  const { body } = await events('?type=usage.threshold');
  const day = new Date().toISOString().slice(0, 10);
  expect(body.data.map(({ data }: Event) => data)).toEqual([
    { period: day, percent: 80, used: 4, limit: 5 },
    { period: day, percent: 100, used: 5, limit: 5 },
  ]);
});

test('one request can reach both thresholds of both periods', async () => {
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 3, daily: 3 });
  await send({ to: ['a@example.com', 'b@example.com', 'c@example.com'] }).expect(202);
  const { body } = await events('?type=usage.threshold');
  const seen = body.data.map(
    ({ data }: { data: { period: string; percent: number } }) => `${data.period} ${data.percent}`,
  );
  const day = new Date().toISOString().slice(0, 10);
  const month = day.slice(0, 7);
  expect(seen.sort()).toEqual([`${day} 100`, `${day} 80`, `${month} 100`, `${month} 80`].sort());
});

test('a verified domain is an event', async () => {
  const name = newDomainName('mail');
  const { body: domain } = await t.api
    .post('/api/v1/domains')
    .set(await t.login())
    .send({ name });
  await markDomainVerified(t.ctx, domain.id);
  expect((await events()).body.data).toMatchObject([
    {
      type: 'domain.verified',
      data: { domain_id: domain.id, name, status: 'verified', reason: 'Verified by the operator' },
    },
  ]);
});
