import { readUsage } from '../emails/usage.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const POOL = 10;
/** A request waits at most 2 s for a connection. Two waits would take longer than this. */
const ONE_WAIT_MS = 3_900;

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ ownDatabase: 'it holds all connections and creates a trigger' });
});

afterEach(() => t.close());

const send = () =>
  t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' });

async function holdAllConnections(): Promise<() => Promise<void>> {
  const { client } = t.ctx.db;
  const held = await Promise.all(Array.from({ length: POOL }, () => client.acquireConnection()));
  return async () => {
    for (const connection of held) await client.releaseConnection(connection);
  };
}

describe('when all Postgres connections are in use', () => {
  test.each([
    ['are in Redis', async () => {}],
    ['must be read from Postgres', () => t.ctx.redis.flushdb()],
  ])('an email whose counters %s gets 503 after one wait, and the next one is accepted', async (_title, prepare) => {
    expect((await send()).status).toBe(202);
    await prepare();
    const release = await holdAllConnections();
    const startedAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 5 }, send));
    const took = performance.now() - startedAt;
    await release();
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(503));
    expect(Number(responses[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(took).toBeLessThan(ONE_WAIT_MS);
    expect((await send()).status).toBe(202);
    expect(await readUsage(t)).toEqual({ month: 2, day: 2 });
  });
});

describe('when the Postgres disk is full', () => {
  test('an email gets 503 and leaves nothing behind', async () => {
    await t.ctx.db.raw(`
      create function no_space() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger no_space before insert on email_recipients for each row execute function no_space()`);
    const response = await send();
    expect([response.status, response.body.code]).toEqual([503, 'unavailable']);
    expect(await t.ctx.db('emails').select('id')).toEqual([]);
    expect((await readUsage(t)).month).toBe(0);
    await t.ctx.db.raw('drop trigger no_space on email_recipients');
    expect((await send()).status).toBe(202);
  });
});
