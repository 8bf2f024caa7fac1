import { claimEmails } from '@posthorn/domain/delivery';
import { Refusal } from '@posthorn/domain/errors';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';

let t: TestApi;
const ids: string[] = [];

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
  for (let i = 0; i < 5; i += 1) {
    const { body } = await t.api
      .post('/api/v1/emails')
      .set(t.auth)
      .send({
        to: [`To${i % 2}@example.com`],
        subject: `Mail ${i}`,
        text: 'secret',
        tags: [{ name: 'parity', value: i % 2 === 0 ? 'even' : 'odd' }],
        ...(i === 4 && { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
      });
    ids.unshift(body.id);
  }
});

afterAll(() => t.close());

const list = (query: object, auth = t.auth) => t.api.get('/api/v1/emails').set(auth).query(query);

const listIds = (response: { body: { data: Array<{ id: string }> } }) => response.body.data.map(({ id }) => id);

describe('GET /api/v1/emails', () => {
  test('lists summaries without bodies, newest first, including scheduled emails', async () => {
    const response = await list({});
    expect(response.body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
    expect(listIds(response)).toEqual(ids);
    expect(response.body.data[0]).toMatchObject({ object: 'email', status: 'scheduled', subject: 'Mail 4' });
    expect(response.text).not.toContain('secret');
  });

  test('pages in both directions without a gap', async () => {
    const first = await list({ limit: 2 });
    expect(first.body).toMatchObject({ has_more: true, next_cursor: ids[1] });
    const second = await list({ limit: 2, after: first.body.next_cursor });
    expect(listIds(second)).toEqual(ids.slice(2, 4));
    const last = await list({ limit: 2, after: ids[3] });
    expect(last.body).toMatchObject({ has_more: false, next_cursor: null });
    expect(listIds(last)).toEqual(ids.slice(4));
    const newer = await list({ limit: 2, before: ids[3] });
    expect(listIds(newer)).toEqual(ids.slice(1, 3));
    expect(newer.body).toMatchObject({ has_more: true, next_cursor: ids[1] });
    const newest = await list({ limit: 2, before: newer.body.next_cursor });
    expect(newest.body).toMatchObject({ has_more: false, next_cursor: null });
    expect(listIds(newest)).toEqual(ids.slice(0, 1));
  });

  test.each([
    [{ status: 'scheduled' }, [0]],
    [{ status: 'queued' }, [1, 2, 3, 4]],
    [{ to: 'to1@EXAMPLE.com' }, [1, 3]],
    [{ tag: 'parity:odd' }, [1, 3]],
    [{ tag: 'parity:none' }, []],
    [{ from_: 'nobody@example.com' }, []],
    [{ template_id: '0192f0c1-0000-7000-8000-000000000000' }, []],
    [{ created_after: '2100-01-01T00:00:00Z' }, []],
    [{ created_before: '2100-01-01T00:00:00Z', tag: 'parity:odd' }, [1, 3]],
  ])('filters by %j', async (query, expected) => {
    const response = await list(query);
    expect(response.status).toBe(200);
    expect(listIds(response)).toEqual(expected.map((index) => ids[index]));
  });

  test('lists an email as sending, and no longer as queued, once a worker has claimed it', async () => {
    const tenant = await t.otherTenant();
    const send = async () => {
      const email = { to: ['a@example.com'], subject: 'Hi', text: 'Hi' };
      return (await t.api.post('/api/v1/emails').set(tenant.auth).send(email).expect(202)).body.id;
    };
    const [queued, sending] = [await send(), await send()];
    await claimEmails(t.ctx.db, [sending], 60);
    expect(listIds(await list({ status: 'queued' }, tenant.auth))).toEqual([queued]);
    expect(listIds(await list({ status: 'sending' }, tenant.auth))).toEqual([sending]);
    expect(listIds(await list({ status: 'sending', to: 'a@example.com' }, tenant.auth))).toEqual([sending]);
    expect(listIds(await list({ status: 'sending' }))).toEqual([]);
    const { body } = await list({}, tenant.auth);
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['sending', 'queued']);
  });

  test('filters by sender', async () => {
    expect(listIds(await list({ from_: `${t.workspace.slug}@posthorn.localhost` }))).toEqual(ids);
  });

  test.each([
    { limit: '0' },
    { limit: '101' },
    { limit: 'x' },
    { after: 'x' },
    { status: 'lost' },
    { to: 'nobody' },
    { tag: 'noColon' },
    { created_after: 'yesterday' },
    { unknown: '1' },
    { after: '0192f0c1-0000-7000-8000-000000000000', before: '0192f0c1-0000-7000-8000-000000000000' },
    { 'to[]': 'a@example.com' },
  ])('refuses %j with 422', async (query) => {
    const response = await list(query);
    expect(response.status).toBe(422);
    expect(response.body.errors.length).toBeGreaterThan(0);
  });

  test('shows nothing of another workspace', async () => {
    const other = await t.otherTenant();
    expect(listIds(await list({}, other.auth))).toEqual([]);
    expect(listIds(await list({ to: 'to1@example.com' }, other.auth))).toEqual([]);
    expect(listIds(await list({ after: ids[0] }, other.auth))).toEqual([]);
  });
});

describe('pages of emails with many tags and recipients', () => {
  let tenant: TestTenant;
  const ids: string[] = [];

  const readPage = async (query: object) => {
    const response = await list(query, tenant.auth);
    expect(response.text.length).toBeLessThan(500_000);
    return response;
  };

  beforeAll(async () => {
    tenant = await t.otherTenant();
    const tags = Array.from({ length: 75 }, (_, index) => ({
      name: `t${index}`.padEnd(256, 'x'),
      value: 'v'.repeat(256),
    }));
    const email = { to: ['jane@example.com'], subject: 's'.repeat(998), text: 'Hi', tags };
    for (let count = 0; count < 12; count += 1) {
      const { body } = await t.api.post('/api/v1/emails').set(tenant.auth).send(email).expect(202);
      ids.unshift(body.id);
    }
    // Each recipient counts against the daily cap, so each email was sent to one recipient, and more recipients are
    // added here.
    await t.ctx
      .db('emails')
      .whereIn('id', ids)
      .update({ to: Array(50).fill(`${'n'.repeat(240)}@example.com`) });
  });

  test('end early, in both directions, without a gap', async () => {
    const older: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage({
        limit: 100,
        ...(after !== null && { after }),
      });
      older.push(...listIds(page));
      expect(page.body.has_more).toBe(page.body.next_cursor !== null);
      after = page.body.next_cursor;
      if (after === null) break;
    }
    expect(older).toEqual(ids);
    const newer: string[] = [];
    for (let before: string | null = ids.at(-1) ?? null; before !== null; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage({ limit: 100, before });
      newer.unshift(...listIds(page));
      before = page.body.next_cursor;
    }
    expect(newer).toEqual(ids.slice(0, -1));
  });

  test('are not read if the caller has used up its bytes for this minute', async () => {
    const queries: string[] = [];
    const note = ({ sql }: { sql: string }) => queries.push(sql);
    jest.spyOn(t.ctx.bodies, 'assertBytesLeft').mockImplementationOnce(() => {
      throw new Refusal('rate_limited', { limit: '60,000,000 bytes', retryAfterSeconds: 5 });
    });
    t.ctx.db.on('query', note);
    const { status, headers } = await list({ limit: 100 }, tenant.auth);
    t.ctx.db.off('query', note);
    expect([status, headers['retry-after']]).toEqual([429, '5']);
    expect(queries.filter((sql) => sql.includes('from "emails"'))).toEqual([]);
  });
});
