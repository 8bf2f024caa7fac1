import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, type TestWorkspace } from '@posthorn/testing';
import { type RunningProcess, runScript, startProcess } from './processes.js';

/** All text that the client sends in these tests contains this string. No log line may contain it. */
const CANARY = 'canary4d1c';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

let ctx: Context;
let api: RunningProcess;
let tenant: TestWorkspace;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'it renames a table and adds a constraint' });
  tenant = await createTestWorkspace(ctx);
  api = await startProcess('api', ctx, { LOG_LEVEL: 'trace', RATE_LIMIT_PER_MINUTE: '10000' });
});

afterAll(async () => {
  await api.stop();
  await closeTestContext(ctx);
});

async function call(
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(api.url + path, {
    method,
    headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  await response.text();
  return response.status;
}

const email = JSON.stringify({
  to: [`${CANARY}@example.com`],
  subject: CANARY,
  html: CANARY,
  headers: { 'X-Canary': CANARY },
  tags: [{ name: CANARY, value: CANARY }],
});
const login = { email: `${CANARY}@example.com`, password: `${CANARY} horse` };
const account = JSON.stringify({ ...login, workspace_name: CANARY });

/** Everything logged so far, after a short wait for the last lines. */
async function logged(): Promise<string> {
  await sleep(200);
  return api.lines.join('\n');
}

describe('the log at trace level', () => {
  afterEach(async () => {
    const text = await logged();
    expect(text).toContain('api_listening');
    for (const secret of [CANARY, tenant.key, tenant.key.slice(25, 57), tenant.password, tenant.email]) {
      expect(text).not.toContain(secret);
    }
  });

  test('contains nothing from accepted requests', async () => {
    expect(await call('POST', '/api/v1/emails', email, { 'Idempotency-Key': CANARY })).toBe(202);
    expect(await call('POST', '/auth/signup', account)).toBe(201);
    expect(await call('POST', '/auth/login', JSON.stringify(login))).toBe(200);
    expect(await call('POST', '/auth/forgot', JSON.stringify({ email: login.email }))).toBe(202);
  });

  test('contains nothing from rejected requests', async () => {
    expect(await call('POST', '/api/v1/emails', `{"${CANARY}`)).toBe(400);
    expect(await call('POST', '/api/v1/emails', `{"${CANARY}": "${CANARY}"}`)).toBe(422);
    expect(await call('POST', '/auth/login', JSON.stringify({ ...login, password: `${CANARY} mule` }))).toBe(401);
    const invitation = JSON.stringify({ token: CANARY, password: login.password });
    expect(await call('POST', '/auth/accept-invitation', invitation)).toBe(422);
    expect(await call('GET', `/api/v1/emails/${CANARY}`)).toBe(404);
    expect(await call('GET', `/api/v1/emails/${CANARY}?${CANARY}=${CANARY}`)).toBe(422);
    expect(await call('GET', `/api/v1/emails?to=${CANARY}`)).toBe(422);
    expect(await call('GET', '/api/v1/emails', undefined, { Authorization: `Bearer ${CANARY}` })).toBe(401);
    expect(await call('POST', '/api/v1/emails', email, { 'Idempotency-Key': `${CANARY}\t${CANARY}` })).toBe(400);
    expect(await call('POST', '/auth/logout', undefined, { Cookie: `posthorn_session=${CANARY}` })).toBe(204);
  });

  test('reports an internal error without the request data', async () => {
    await ctx.db.raw(`alter table users add constraint no_more check (email not like '%two%')`);
    await ctx.db.raw('alter table email_contents rename to gone');
    expect(await call('POST', '/auth/signup', account.replace('@', '-two@'))).toBe(500);
    const headers = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
    expect(await call('POST', '/api/v1/emails', email.replace('html', 'text'), headers)).toBe(500);
    await ctx.db.raw('alter table gone rename to email_contents');
    const text = await logged();
    expect(text).toContain('request_failed');
    expect(text).toContain(`"traceId":"${TRACE_ID}"`);
    expect(text).toContain('no_more');
  });

  test('contains no keys when Redis holds values of an unexpected type', async () => {
    for (const name of await ctx.redis.keys('*')) {
      await ctx.redis.del(name);
      await ctx.redis.hset(name, 'shape', 'odd');
    }
    await call('POST', '/api/v1/emails', email, { 'Idempotency-Key': CANARY });
    await call('POST', '/auth/login', JSON.stringify(login));
    await ctx.redis.flushdb();
  });
});

test('an uncaught error ends the process and is logged without its extra properties', async () => {
  const script = `
    import { runProcess } from '@posthorn/platform/processes';
    await runProcess('test', async () => {
      setTimeout(() => { throw Object.assign(new Error('boom'), { detail: '${CANARY}', command: { args: ['${CANARY}'] } }); });
      return async () => {};
    });`;
  const { text, exitCode } = await runScript(script);
  expect(text).toContain('uncaught_exception');
  expect(text).not.toContain(CANARY);
  expect(exitCode).toBe(1);
});
