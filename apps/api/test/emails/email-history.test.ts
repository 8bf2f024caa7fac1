import type { Attempt, EmailEvent, List } from '@posthorn/contract';
import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let id: string;

beforeEach(async () => {
  t = await openTestApi();
  const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
  id = (await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202)).body.id;
});

afterEach(() => t.close());

const get = (path = '') => t.api.get(`/api/v1/emails/${id}${path}`).set(t.auth);

/** @param lines how many lines each conversation has */
async function storeAttempts(count: number, lines = 2): Promise<void> {
  await t.ctx.db.raw(
    `insert into delivery_attempts (email_id, workspace_id, attempt, outcome, phase, conversation, started_at, ended_at)
     select :id, :workspaceId, n, 'route_fault', 'connect', array_fill('S: '::text || repeat('x', 100), array[:lines::int]),
       now(), now()
     from generate_series(1, :count::int) as n`,
    { id, workspaceId: t.workspace.id, count, lines },
  );
}

async function storeEvents(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await t.ctx.db.batchInsert(
    'events',
    ids.map((event, index) => ({
      id: event,
      stream_id: id,
      sequence: index + 2,
      workspace_id: t.workspace.id,
      type: 'email.deferred',
      recipient: 'jane@example.com',
      detail: `Reply ${index}`,
      created_at: new Date(),
    })),
  );
  return ids;
}

/** Reads a list to its end. */
async function readAll<Item>(path: string, start: string | null = null): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = start; ; ) {
    const response = await get(path)
      .query({ limit: 100, ...(after !== null && { after }) })
      .expect(200);
    const page: List<Item> = response.body;
    items.push(...page.data);
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return items;
    after = page.next_cursor;
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('GET /api/v1/emails/{id}', () => {
  test('shows the newest 100 attempts and events, oldest first, with cursors for the older ones', async () => {
    await storeAttempts(250);
    const ids = await storeEvents(250);
    const { body } = await get().expect(200);
    expect(body.attempts.map(({ attempt }: Attempt) => attempt)).toEqual(numbers(151, 250));
    expect(body.attempts_next_cursor).toBe('151');
    expect(body.events.map((event: EmailEvent) => event.id)).toEqual(ids.slice(150));
    expect(body.events_next_cursor).toBe('152');
    const older = await readAll<Attempt>('/attempts', body.attempts_next_cursor);
    expect(older.map(({ attempt }) => attempt)).toEqual(numbers(1, 150).reverse());
  });

  test('shows all attempts and events, including the first event, if there are few', async () => {
    await storeAttempts(3);
    const ids = await storeEvents(3);
    const { body } = await get().expect(200);
    expect(body).toMatchObject({ attempts_next_cursor: null, events_next_cursor: null });
    expect(body.attempts).toHaveLength(3);
    expect(body.events[0].type).toBe('accepted');
    expect(body.events.slice(1).map((event: EmailEvent) => [event.id, event.type])).toEqual(
      ids.map((event) => [event, 'deferred']),
    );
  });

  test('stays small, however many attempts there are and however long their conversations are', async () => {
    await storeAttempts(30_000);
    expect((await get().expect(200)).text.length).toBeLessThan(100_000);
    await t.ctx.db('delivery_attempts').where({ email_id: id }).del();
    await storeAttempts(150, 200);
    const { text, body } = await get().expect(200);
    expect(text.length).toBeLessThan(350_000);
    expect(body.attempts.length).toBeGreaterThan(10);
    expect(body.attempts.at(-1).attempt).toBe(150);
    const attempts = await readAll<Attempt>('/attempts');
    expect(attempts.map(({ attempt }) => attempt)).toEqual(numbers(1, 150).reverse());
  });
});

describe('GET /api/v1/emails/{id}/attempts', () => {
  test('pages in both directions without a gap', async () => {
    await storeAttempts(5);
    const first = await get('/attempts?limit=2').expect(200);
    expect(first.body).toMatchObject({ object: 'list', has_more: true, next_cursor: '4' });
    expect(first.body.data[0]).toEqual({
      attempt: 5,
      route: null,
      phase: 'connect',
      outcome: 'route_fault',
      conversation: [expect.stringContaining('S: x'), expect.stringContaining('S: x')],
      started_at: expect.stringMatching(/Z$/),
      ended_at: expect.stringMatching(/Z$/),
    });
    const newer = await get('/attempts?limit=2&before=1').expect(200);
    expect(newer.body.data.map(({ attempt }: Attempt) => attempt)).toEqual([3, 2]);
    expect(newer.body.next_cursor).toBe('3');
    const newest = await get('/attempts?limit=3&before=3').expect(200);
    expect(newest.body).toMatchObject({ data: [{ attempt: 5 }, { attempt: 4 }], next_cursor: null });
  });

  test.each(['0', 'x', '-1', '9999999999', '0192f0c1-0000-7000-8000-000000000000'])(
    'refuses the cursor %s with 422',
    async (cursor) => {
      const { body } = await get('/attempts').query({ after: cursor }).expect(422);
      expect(body.errors).toEqual([{ field: 'after', message: 'must be an attempt number from this list' }]);
    },
  );

  test('accepts the cursor 999999999', async () => {
    await get('/attempts?after=999999999').expect(200);
  });
});

describe('GET /api/v1/emails/{id}/events', () => {
  test.each([0, 1, 98, 99, 100, 250])('lists %i events and the first one, newest first', async (count) => {
    const ids = await storeEvents(count);
    const events = await readAll<EmailEvent>('/events');
    expect(events.slice(0, -1).map((event) => event.id)).toEqual(ids.reverse());
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => events.length - index));
    expect(events.at(-1)).toMatchObject({ type: 'accepted', recipient: null, detail: null });
  });

  test('pages toward newer events', async () => {
    const ids = await storeEvents(5);
    const page = await get('/events?limit=2&before=1').expect(200);
    expect(page.body.data.map((event: EmailEvent) => event.id)).toEqual([ids[1], ids[0]]);
    expect(page.body.next_cursor).toBe('3');
    const rest = await get('/events?before=3').expect(200);
    expect(rest.body.data.map((event: EmailEvent) => event.id)).toEqual([ids[4], ids[3], ids[2]]);
    expect(rest.body.next_cursor).toBeNull();
  });
});

test.each(['/attempts', '/events'])(
  "%s answers the same 404 for another workspace's email as for an unknown one",
  async (path) => {
    const { auth } = await t.otherTenant();
    for (const email of [id, newId(), 'not-an-id']) {
      const { status, body } = await t.api.get(`/api/v1/emails/${email}${path}`).set(auth);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  },
);
