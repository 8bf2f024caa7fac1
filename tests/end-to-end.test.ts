import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type SmtpSink,
  startSmtpSink,
  type TestWorkspace,
} from '@posthorn/testing';
import { type RunningProcess, startProcess } from './processes.js';

let ctx: Context;
let sink: SmtpSink;
let tenant: TestWorkspace;
let apis: RunningProcess[];
let workers: RunningProcess[];

const CANARY = 'canary-7f3a';

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' });
  await ctx.db('domain_keys').delete();
  sink = await startSmtpSink();
  tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  const env = { SMTP_URL: sink.url, RATE_LIMIT_PER_MINUTE: '100000', LOG_LEVEL: 'trace' };
  apis = await Promise.all([startProcess('api', ctx, env), startProcess('api', ctx, env)]);
  workers = await Promise.all([startProcess('worker', ctx, env), startProcess('worker', ctx, env)]);
});

afterAll(async () => {
  const codes = await Promise.all([...apis, ...workers].map((running) => running.stop()));
  expect(codes).toEqual([0, 0, 0, 0]);
  await sink.close();
  await closeTestContext(ctx);
});

async function send(index: number, extra: object = {}): Promise<{ id: string }> {
  const api = apis[index % apis.length] as RunningProcess;
  const response = await fetch(`${api.url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      to: [`${CANARY}-${index}@example.com`],
      subject: `${CANARY} ${index}`,
      text: CANARY,
      ...extra,
    }),
  });
  expect(response.status).toBe(202);
  return (await response.json()) as { id: string };
}

async function read(id: string) {
  const response = await fetch(`${apis[1]?.url}/api/v1/emails/${id}`, {
    headers: { Authorization: `Bearer ${tenant.key}` },
  });
  return (await response.json()) as { status: string };
}

async function untilSent(id: string): Promise<void> {
  for (const deadline = Date.now() + 15_000; (await read(id)).status !== 'sent'; ) {
    if (Date.now() > deadline) throw new Error(`Email ${id} is ${JSON.stringify(await read(id))}`);
    await sleep(50);
  }
}

describe('two API and two worker processes that share Postgres and Redis', () => {
  test('create one DKIM key for the platform domain before the first email', async () => {
    const keys = await ctx.db('domain_keys').select('state').where({ domain_id: null });
    expect(keys).toEqual([{ state: 'active' }]);
  });

  test('send each of 300 emails exactly once', async () => {
    const sent = await Promise.all(Array.from({ length: 300 }, (_, index) => send(index)));
    const messages = await sink.waitFor(300);
    await Promise.all(sent.map(({ id }) => untilSent(id)));
    expect(new Set(messages.map(({ parsed }) => parsed.messageId)).size).toBe(300);
    expect(sink.messages).toHaveLength(300);
  });

  test('log no address, subject, body, key or password', async () => {
    const logged = [...apis, ...workers].flatMap(({ lines }) => lines).join('\n');
    expect(logged).toContain('worker_ready');
    for (const secret of [CANARY, tenant.key, tenant.key.slice(30), tenant.password])
      expect(logged).not.toContain(secret);
  });

  test('store no API key in plain text in Postgres or Redis', async () => {
    const rows = JSON.stringify(await ctx.db('api_keys').select('*'));
    expect(rows).not.toContain(tenant.key.slice(25, 57));
    const names = await ctx.redis.keys('*');
    expect(names.join('\n')).not.toContain(tenant.key.slice(25, 57));
    expect(names.join('\n')).not.toContain(CANARY);
  });
});

describe('a process with an invalid environment', () => {
  const startFailure = async (app: 'api' | 'worker', env: NodeJS.ProcessEnv) =>
    startProcess(app, ctx, env).then(
      () => 'it started',
      (error: Error) => error.message,
    );

  test('reports all invalid variables together', async () => {
    const message = await startFailure('worker', {
      DATABASE_URL: 'mysql://x',
      PORT: 'many',
      SMTP_URL: '',
      LEASE_SECONDS: '0',
    });
    for (const problem of [
      'DATABASE_URL is not valid',
      'PORT is not valid',
      'SMTP_URL is missing',
      'LEASE_SECONDS is not valid',
    ]) {
      expect(message).toContain(problem);
    }
  });

  test('has no production defaults for secrets and public addresses', async () => {
    const message = await startFailure('api', { NODE_ENV: 'production', SECRET_KEY: '' });
    for (const name of ['PUBLIC_URL', 'PLATFORM_SENDER_DOMAIN', 'SECRET_KEY'])
      expect(message).toContain(`${name} is missing`);
  });
});
