import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateWhenReachable } from '@posthorn/domain';
import { type Postgres, startPostgres } from '@posthorn/servers';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import type { ApiContext } from '../src/context.js';
import { closeApi, openApi } from '../src/open-api.js';
import { listen, stopListening } from '../src/server.js';

let folder: string;
let postgres: Postgres;
let ctx: ApiContext;
let api: Awaited<ReturnType<typeof listen>>;
let key: string;

const settings = { fsync: 'off' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  postgres = await startPostgres({ dataDir: folder, settings });
  ctx = openApi(await openTestContext({ config: { databaseUrl: postgres.url, rateLimitPerMinute: 10_000 } }));
  await migrateWhenReachable(ctx);
  ({ key } = await createTestWorkspace(ctx, { planId: 'pro' }));
  api = await listen(ctx);
}, 60_000);

afterAll(async () => {
  await stopListening(api.server, 1_000);
  await closeTestContext(ctx, closeApi);
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send(idempotencyKey: string) {
  const answer = await fetch(`${api.url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' }),
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
}

/** Postgres gives each backend a process group of its own. */
function signalServer(signal: NodeJS.Signals): void {
  const backends = execFileSync('pgrep', ['-P', String(postgres.pid)])
    .toString()
    .trim()
    .split('\n')
    .map(Number);
  for (const pid of [postgres.pid, ...backends]) process.kill(pid, signal);
}

async function untilAccepted(idempotencyKey: string) {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await send(idempotencyKey);
    if (answer.status === 202) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('Never accepted');
}

describe('while Postgres is away', () => {
  test('everything answers 503 with Retry-After as problem details, and all is well once it is back', async () => {
    expect((await send('before')).status).toBe(202);
    await postgres.stopImmediately();
    const answer = await send('during');
    expect(answer.status).toBe(503);
    expect(Number(answer.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'unavailable', status: 503 });
    const session = await fetch(`${api.url}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'some long password' }),
    });
    expect(session.status).toBe(503);
    expect((await fetch(`${api.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);

    postgres = await startPostgres({ dataDir: folder, port: postgres.port, settings });
    await untilAccepted('during');
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  });

  test('a frozen Postgres ends in 503, not in silence, and mail is accepted again once it thaws', async () => {
    signalServer('SIGSTOP');
    const answers = await Promise.all([send('frozen-1'), send('frozen-2')]);
    signalServer('SIGCONT');
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    await untilAccepted('frozen-1');
  });

  test('a crash under load loses nothing that was accepted and accepts no key twice', async () => {
    const earlier = (await ctx.db('emails').select('id')).length;
    const keys = Array.from({ length: 200 }, (_, index) => `load-${index}`);
    const first = Promise.all(keys.map((name) => send(name)));
    await postgres.stopImmediately();
    postgres = await startPostgres({ dataDir: folder, port: postgres.port, settings });
    const early = await first;
    const late = await Promise.all(keys.map(untilAccepted));
    for (const [index, answer] of early.entries()) {
      if (answer.status === 202) expect(late[index]?.text).toBe(answer.text);
      else expect(answer.status).toBe(503);
    }
    const ids = late.map(({ text }) => JSON.parse(text).id);
    const rows = await ctx.db('emails').whereIn('id', ids);
    expect(rows).toHaveLength(200);
    const count = (await ctx.db('emails').select('id')).length;
    const month = new Date().toISOString().slice(0, 7);
    const { used } = await ctx.db('usage').where({ period: month }).first();
    expect(used).toBe(count);
    expect(count).toBe(keys.length + earlier);
  });
});
