import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findUnsubscribeUrl } from '@posthorn/domain/links';
import { untilDatabaseReady } from '@posthorn/domain/startup';
import { connectDatabase } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { type Postgres, startPostgres } from '@posthorn/servers';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import type { ApiContext } from '../../src/context/api-context.js';
import { closeApiContext, createApiContext } from '../../src/create-context.js';
import { listen, stopListening } from '../../src/server.js';

let folder: string;
let postgres: Postgres;
let ctx: ApiContext;
let api: Awaited<ReturnType<typeof listen>>;
let key: string;

const settings = { fsync: 'off' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  postgres = await startPostgres({ dataDir: folder, settings });
  ctx = createApiContext(await openTestContext({ config: { databaseUrl: postgres.url, rateLimitPerMinute: 10_000 } }));
  await untilDatabaseReady(ctx, { restart: () => {} });
  await ctx.incarnation.read();
  ({ key } = await createTestWorkspace(ctx, { planId: 'pro' }));
  api = await listen(ctx);
});

afterAll(async () => {
  await stopListening(api.server, 1_000);
  await closeTestContext(ctx, closeApiContext);
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send(idempotencyKey: string) {
  const response = await fetch(`${api.url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' }),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

/** Also signals every backend, because each has its own process group. */
function signalServer(signal: NodeJS.Signals): void {
  const backends = execFileSync('pgrep', ['-P', String(postgres.pid)])
    .toString()
    .trim()
    .split('\n')
    .map(Number);
  for (const pid of [postgres.pid, ...backends]) process.kill(pid, signal);
}

/** Polls, because the answer may be a second old. */
async function untilReadyzAnswers(status: number): Promise<void> {
  while ((await fetch(`${api.url}/readyz`)).status !== status) await sleep(20);
}

async function untilAccepted(idempotencyKey: string) {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await send(idempotencyKey);
    if (response.status === 202) return response;
    await sleep(50);
  }
  throw new Error('No email was accepted');
}

describe('while Postgres is unavailable', () => {
  test('emails, logins and unsubscribe links get 503, and email is accepted again once Postgres is back', async () => {
    expect((await send('before')).status).toBe(202);
    await postgres.stopImmediately();
    const response = await send('during');
    expect(response.status).toBe(503);
    expect(Number(response.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(response.text)).toMatchObject({ code: 'unavailable', status: 503 });
    const session = await fetch(`${api.url}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'some long password' }),
    });
    expect(session.status).toBe(503);
    const link = findUnsubscribeUrl(
      { ...ctx.config, publicUrl: api.url },
      { id: newId(), workspaceId: newId(), topic: 'newsletter', to: ['jane@example.com'] },
    );
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) : null;
      const unsubscribed = await fetch(link ?? '', { method, body });
      expect(unsubscribed.status).toBe(503);
      expect(Number(unsubscribed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    await untilReadyzAnswers(503);
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);

    postgres = await startPostgres({ dataDir: folder, port: postgres.port, settings });
    await untilAccepted('during');
    await untilReadyzAnswers(200);
  });

  test('a database that takes no connections leads to 503, and email is accepted again once it does', async () => {
    const maintenance = connectDatabase(postgres.url.replace(/[^/]+$/, 'postgres'), { poolSize: 1 });
    const name = postgres.url.split('/').at(-1) as string;
    const allowConnections = (allowed: boolean) =>
      maintenance.raw(`alter database ?? allow_connections ${allowed}`, [name]);
    try {
      await allowConnections(false);
      await maintenance.raw('select pg_terminate_backend(pid) from pg_stat_activity where datname = ?', [name]);
      // The first requests find connections that have ended. The others cannot open new ones.
      const responses = [];
      for (let count = 0; count < 5; count += 1) responses.push(await send(`refused-${count}`));
      expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
      expect(responses.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    } finally {
      await allowConnections(true);
      await maintenance.destroy();
    }
    await untilAccepted('refused-0');
  });

  test('a frozen Postgres leads to 503, and email is accepted again once it resumes', async () => {
    signalServer('SIGSTOP');
    const responses = await Promise.all([send('frozen-1'), send('frozen-2')]);
    signalServer('SIGCONT');
    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
    await untilAccepted('frozen-1');
  });

  test('a read-only Postgres leads to 503, and email is accepted again once Postgres is writable', async () => {
    const setReadOnly = async (isReadOnly: boolean) => {
      await ctx.db.raw(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      await ctx.db.raw('select pg_reload_conf()');
    };
    const untilReadiness = async (status: number) => {
      for (let tries = 0; tries < 200 && (await fetch(`${api.url}/readyz`)).status !== status; tries += 1)
        await sleep(20);
      expect((await fetch(`${api.url}/readyz`)).status).toBe(status);
    };
    await setReadOnly(true);
    await untilReadiness(503);
    const responses = await Promise.all([send('read-only-1'), send('read-only-2'), send('read-only-1')]);
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(responses.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    await setReadOnly(false);
    await untilAccepted('read-only-1');
    await untilReadiness(200);
  });

  test('a crash under load loses no accepted emails and accepts no idempotency key twice', async () => {
    const earlier = (await ctx.db('emails').select('id')).length;
    const keys = Array.from({ length: 200 }, (_, index) => `load-${index}`);
    const first = Promise.all(keys.map((name) => send(name)));
    await postgres.stopImmediately();
    postgres = await startPostgres({ dataDir: folder, port: postgres.port, settings });
    const early = await first;
    const late = await Promise.all(keys.map(untilAccepted));
    for (const [index, response] of early.entries()) {
      if (response.status === 202) expect(late[index]?.text).toBe(response.text);
      else expect(response.status).toBe(503);
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
