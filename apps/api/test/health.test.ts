import { setTimeout as sleep } from 'node:timers/promises';
import { openTestApi, type TestApi } from './open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({
    ownDatabase: 'it makes Postgres read-only, renames a table and reads the backlog of all workspaces',
  });
});

afterEach(() => t.close());

const scheduledAt = () => new Date(Date.now() + 3_600_000).toISOString();

const accept = (more: object = {}) =>
  t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi', ...more })
    .expect(202);

/** Also closes all connections to the test database, because Postgres reads the setting when a session starts. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  await t.ctx.db.transaction(async (trx) => {
    await trx.raw('set transaction read write');
    const { rows } = await trx.raw('select current_database() as name');
    await trx.raw(`alter database ?? set default_transaction_read_only = ${value}`, [rows[0].name]);
  });
  const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()';
  await t.ctx.db.raw(terminate).catch(() => {});
}

/** Polls /readyz, whose answer may be a second old. */
async function untilReadyzAnswers(status: number): Promise<object> {
  for (;;) {
    const response = await t.api.get('/readyz');
    if (response.status === status) return response.body;
    await sleep(20);
  }
}

describe('/readyz', () => {
  test('answers 503 while Postgres is read-only', async () => {
    expect(await untilReadyzAnswers(200)).toEqual({
      status: 'ready',
      postgres: { state: 'writable' },
      redis: { reachable: true, evicts: false, full: false },
    });
    await setReadOnly('on');
    expect(await untilReadyzAnswers(503)).toMatchObject({
      status: 'unavailable',
      postgres: { state: 'read_only' },
    });
    await setReadOnly('off');
    await untilReadyzAnswers(200);
  });

  test('asks Postgres once, however many requests arrive together, and reads no emails', async () => {
    await accept();
    const statements: string[] = [];
    t.ctx.db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    await Promise.all(Array.from({ length: 20 }, () => t.api.get('/readyz').expect(200)));
    expect(statements).toHaveLength(1);
    expect(statements[0]).not.toMatch(/emails|deliveries/);
  });
});

describe('/metrics', () => {
  test('and /readyz are not public if they have a port of their own', async () => {
    await t.close();
    t = await openTestApi({ config: { apiMetricsPort: 9464 } });
    for (const path of ['/metrics', '/readyz']) {
      const { status, body } = await t.api.get(path);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
    await t.api.get('/healthz').expect(200);
  });

  test('shows the backlog and the age of the oldest due email', async () => {
    await accept();
    await accept({ scheduled_at: scheduledAt() });
    await t.ctx
      .db('deliveries')
      .where({ is_due: true })
      .update({ due_at: new Date(Date.now() - 600_000) });
    const { text } = await t.api.get('/metrics').expect(200);
    for (const line of ['queued"} 1', 'scheduled"} 1', 'deferred"} 0', 'sending"} 0'])
      expect(text).toContain(`posthorn_emails{status="${line}\n`);
    expect(Number(/^posthorn_oldest_due_seconds (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(600);
  });

  test('shows all metrics except the backlog while Postgres cannot be read', async () => {
    await t.ctx.db.raw('alter table deliveries rename to hidden_deliveries');
    const { text } = await t.api.get('/metrics').expect(200);
    expect(text).not.toMatch(/^posthorn_(oldest_due_seconds|emails\{)/m);
    expect(text).toMatch(/^posthorn_emails_accepted_total \d/m);
  });
});
