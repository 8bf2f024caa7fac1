import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@posthorn/testing';
import { removeApostrophe, toCsvLine } from '../../src/csv/csv-export.js';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';

const HEAD = 'id,status,from_,to,subject,template_id,tags,created_at,scheduled_at';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});

afterAll(() => t.close());

const getCsv = (auth: TestTenant['auth'], query: object = {}) =>
  t.api
    .get('/api/v1/emails')
    .set(auth)
    .query({ format: 'csv', ...query });

async function send(tenant: TestTenant, email: object): Promise<string> {
  const request = t.api.post('/api/v1/emails').set(tenant.auth);
  return (await request.send({ to: ['jane@example.com'], subject: 'Hi', text: 'Hi', ...email }).expect(202)).body.id;
}

/** Stores copies of one email, with subjects of 900 characters. */
async function fill(tenant: TestTenant, count: number): Promise<void> {
  await t.ctx.db.raw(
    `insert into emails (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at,
       usage_day, tags)
     select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
       ?::uuid, 'sent', 'us@example.com', 'us@example.com', rpad(n || '.', 900, 'x'), array['jane@example.com'], 1, now(),
       now()::date, '{}'
     from generate_series(1, ?::int) as n`,
    [tenant.workspace.id, count],
  );
}

describe('toCsvLine', () => {
  test.each([
    [['plain', ''], 'plain,\r\n'],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"\r\n'],
    [['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'], `'=1+1,'+1,'-1,'@SUM(A1),'\tx,"'\rx"\r\n`],
    [['=HYPERLINK("http://x","y")'], `"'=HYPERLINK(""http://x"",""y"")"\r\n`],
    [[' = 1'], `' = 1\r\n`],
    [['＝1+1', '＋1', '－1', '＠SUM'], "'＝1+1,'＋1,'－1,'＠SUM\r\n"],
    [['﹦1+1', '﹢1', '﹣1', '﹫SUM'], "'﹦1+1,'﹢1,'﹣1,'﹫SUM\r\n"],
    [['\u200b=1', '\u22121', '\ufeff \u2060@A', '\u0000=1'], "'\u200b=1,'\u22121,'\ufeff \u2060@A,'\u0000=1\r\n"],
    [["'=1", "'1"], "''=1,'1\r\n"],
  ])('writes %j', (cells, line) => {
    expect(toCsvLine(cells)).toBe(line);
  });

  test.each(['plain', "'plain", '=1', "'=1", "''=1", ' =1', '\tx', '\u200b=1', "'\u200b=1", '\u22121'])(
    'adds an apostrophe to %j that can be undone',
    (cell) => {
      const [, quoted, bare] = /^(?:"(.*)"|(.*))\r\n$/s.exec(toCsvLine([cell])) ?? [];
      expect(removeApostrophe(quoted ?? bare ?? '')).toBe(cell);
    },
  );
});

describe('GET /api/v1/emails?format=csv', () => {
  test('returns every matching email with its columns, newest first', async () => {
    const tenant = await t.otherTenant();
    const tags = [
      { name: 'kind', value: 'order' },
      { name: 'shop', value: 'north' },
    ];
    const first = await send(tenant, { to: ['Jane <jane@example.com>', 'joe@example.com'], subject: 'A, "B"', tags });
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const second = await send(tenant, { subject: '=1+1', scheduled_at });
    const response = await getCsv(tenant.auth).expect(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="emails.csv"',
      'cache-control': 'no-store',
    });
    expect(response.headers['x-request-id']).toBeDefined();
    expect(response.headers['ratelimit-limit']).toBeDefined();
    const [head, newest, oldest, end, ...rest] = response.text.split('\r\n');
    const from = `${tenant.workspace.slug}@posthorn.localhost`;
    expect(head).toBe(HEAD);
    expect(newest).toMatch(
      new RegExp(`^${second},scheduled,${from},jane@example.com,'=1\\+1,,,20[^,]+Z,${scheduled_at}$`),
    );
    expect(oldest).toMatch(
      new RegExp(
        `^${first},queued,${from},Jane <jane@example.com>; joe@example.com,"A, ""B""",,kind:order; shop:north,20[^,]+Z,$`,
      ),
    );
    expect([end, ...rest]).toEqual(['']);
    expect((await getCsv(tenant.auth, { tag: 'shop:north' })).text).toBe(`${HEAD}\r\n${oldest}\r\n`);
    expect((await getCsv(tenant.auth, { q: '1+1' })).text).toBe(`${HEAD}\r\n${newest}\r\n`);
    expect((await getCsv(tenant.auth, { to: 'nobody@example.com' })).text).toBe(`${HEAD}\r\n`);
  });

  test('leaves subjects out for a key without emails:read', async () => {
    const id = await send(t, { subject: 'One-time code 482913' });
    const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    const { text } = await getCsv(auth).expect(200);
    expect(text).toContain(id);
    expect(text).not.toContain('482913');
  });

  test('returns many pages, even for a search', async () => {
    const tenant = await t.otherTenant();
    await fill(tenant, 2_300);
    for (const query of [{}, { q: '.xxx' }]) {
      const { text } = await getCsv(tenant.auth, query).expect(200);
      const numbers = text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => Number(/,(\d+)\.x/.exec(line)?.[1]));
      expect(numbers).toEqual(Array.from({ length: 2_300 }, (_, index) => 2_300 - index));
    }
  });

  test('holds neither a Postgres connection nor a turn for a stalled client; two can run at a time', async () => {
    const tenant = await t.otherTenant();
    await fill(tenant, 20_000);
    const stalled = [await openStalled(tenant), await openStalled(tenant)];
    await until(async () => (await busyConnections()) === 0);
    await t.api.get('/api/v1/emails').set(tenant.auth).expect(200);
    const refused = await getCsv(tenant.auth).expect(429);
    expect(refused.body.detail).toContain('2 simultaneous exports');
    await t.api.get('/api/v1/emails?format=csv').set(t.auth).expect(200);
    for (const response of stalled) response.destroy();
    await expect(untilAllowed(tenant)).resolves.toBe(200);
  });

  test('is cut off when its key is revoked', async () => {
    const tenant = await t.otherTenant();
    await fill(tenant, 20_000);
    const response = await openStalled(tenant);
    await t.ctx.db('api_keys').where({ id: tenant.keyId }).update({ revoked_at: new Date() });
    await sleep(1_000);
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of response) bytes += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    // The full export would be 18 MB.
    expect(bytes).toBeLessThan(15_000_000);
  });
});

/** How many connections are in a transaction. */
async function busyConnections(): Promise<number> {
  const { rows } = await t.ctx.db.raw(
    "select count(*)::int as busy from pg_stat_activity where datname = current_database() and state like '%transaction%'",
  );
  return rows[0].busy;
}

async function openStalled({ auth }: TestTenant): Promise<IncomingMessage> {
  const request = httpRequest(`${t.url}/api/v1/emails?format=csv`, { headers: auth }).end();
  const response = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  response.on('error', () => undefined).pause();
  return response;
}

async function untilAllowed({ auth }: TestTenant): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { status } = await t.api.get('/api/v1/emails').set(auth).query({ format: 'csv', to: 'nobody@example.com' });
    if (status === 200) return status;
    await sleep(100);
  }
  return 429;
}
