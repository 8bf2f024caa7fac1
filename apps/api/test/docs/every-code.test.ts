import { once } from 'node:events';
import { connect } from 'node:net';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { pauseWorkspace } from '@posthorn/domain/deliverability';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import { until } from '@posthorn/testing';
import type { Response } from 'supertest';
import { type ProblemCode, problems } from '../../src/http/http-errors.js';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';
import { sendRaw } from '../send-raw.js';

let t: TestApi;

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const path = '/api/v1/emails';

const send = (body: object = email, headers: object = {}, { auth }: Pick<TestTenant, 'auth'> = t) =>
  t.api
    .post(path)
    .set({ ...auth, ...headers })
    .send(body);

async function tenantWith(limits: Parameters<typeof setWorkspaceLimits>[3]): Promise<TestTenant> {
  const tenant = await t.otherTenant();
  await setWorkspaceLimits(t.ctx, operator, tenant.workspace.id, limits);
  return tenant;
}

/** The problem in the body of a raw response. */
async function problemIn(raw: Promise<{ status: number; body: string }>): Promise<Problem> {
  const { status, body } = await raw;
  return { status, body: JSON.parse(body) };
}

type Problem = Pick<Response, 'status' | 'body'>;

async function inAnotherApi(
  options: Parameters<typeof openTestApi>[0],
  request: (other: TestApi) => PromiseLike<Problem>,
): Promise<Problem> {
  const other = await openTestApi(options);
  try {
    return await request(other);
  } finally {
    await other.close();
  }
}

async function restrictedTo(restrictions: { domainIds?: string[]; networks?: string[] }) {
  const fields = { name: 'Restricted', scopes: ['emails:send' as const], expiresAt: null, ...restrictions };
  const { text } = await createKey(t.ctx, operator, t.workspace.id, fields);
  return { auth: { Authorization: `Bearer ${text}` } };
}

/** For each documented code, a request that provokes it. The type ensures that no code is left out. */
const provoke: Readonly<Record<ProblemCode, () => PromiseLike<Problem>>> = {
  bad_request: () => problemIn(sendRaw(t.url, 'GET / HTTP/1.1\r\nNo colon\r\n\r\n')),
  malformed_json: () => t.api.post(path).set(t.auth).type('json').send('{"to":'),
  invalid_idempotency_key: () => send(email, { 'Idempotency-Key': 'x'.repeat(257) }),
  unauthenticated: () => t.api.get(path),
  invalid_login: () => t.api.post('/auth/login').send({ ...t.user, password: 'something else' }),
  monthly_cap_exceeded: async () => send(email, {}, await tenantWith({ monthly: 0, daily: null })),
  missing_scope: async () =>
    send(email, {}, { auth: { Authorization: `Bearer ${await t.keyWith(['templates:write'])}` } }),
  network_not_allowed: async () => send(email, {}, await restrictedTo({ networks: ['192.0.2.7/32'] })),
  owner_required: async () => {
    const tenant = await t.otherTenant();
    const session = await t.api.post('/auth/login').send(tenant.user);
    await t.ctx.db('memberships').where({ workspace_id: tenant.workspace.id }).update({ role: 'member' });
    return t.api
      .post('/api/v1/api-keys')
      .set('Cookie', session.get('Set-Cookie') ?? [])
      .send({ name: 'CI', scopes: ['emails:send'] });
  },
  sender_not_verified: async () => {
    const { body } = await t.api.post('/api/v1/domains').set(t.auth).send({ name: 'unverified.example' });
    return send({ ...email, from_: 'a@unverified.example', domain_id: body.id });
  },
  domain_not_allowed: async () => {
    const { body } = await t.api.post('/api/v1/domains').set(t.auth).send({ name: 'restricted.example' });
    return send(email, {}, await restrictedTo({ domainIds: [body.id] }));
  },
  account_not_verified: async () => {
    const user = { email: newAddress('new'), password: 'correct horse battery' };
    const signedUp = await t.api.post('/auth/signup').send(user);
    return t.api
      .post(path)
      .set('Cookie', signedUp.get('Set-Cookie') ?? [])
      .send(email);
  },
  workspace_paused: async () => {
    const tenant = await t.otherTenant();
    await pauseWorkspace(t.ctx, tenant.workspace.id, 'Too many emails bounced.');
    return send(email, {}, tenant);
  },
  csrf_rejected: async () =>
    t.api
      .post(path)
      .set({ ...(await t.login()), 'Sec-Fetch-Site': 'cross-site' })
      .send(email),
  signup_closed: () =>
    inAnotherApi({ config: { signup: 'closed' } }, ({ api }) =>
      api.post('/auth/signup').send({ email: 'new@example.com', password: 'correct horse battery' }),
    ),
  not_found: () => t.api.get(`${path}/${newId()}`).set(t.auth),
  method_not_allowed: () => t.api.delete(path).set(t.auth),
  template_not_found: () => send({ to: email.to, template_id: newId(), template_vars: {} }),
  domain_not_found: () => send({ ...email, from_: 'a@shop.example', domain_id: newId() }),
  idempotency_key_reused: async () => {
    await send(email, { 'Idempotency-Key': 'order-1' });
    return send({ ...email, subject: 'Other' }, { 'Idempotency-Key': 'order-1' });
  },
  idempotency_in_progress: async () => {
    const key = { 'Idempotency-Key': 'order-2' };
    const before = await t.ctx.redis.keys('*:idem:*');
    await send(email, key);
    // Makes it look as if the first request had locked the key but had not been stored yet. Redis learns that shortly
    // after the response.
    const name = (await t.ctx.redis.keys('*:idem:*')).find((each) => !before.includes(each)) ?? '';
    await until(async () => (await t.ctx.redis.hdel(name, 'stored')) === 1);
    return send(email, key);
  },
  not_cancelable: async () => {
    const { body } = await send();
    await t.ctx.db('deliveries').where({ email_id: body.id }).delete();
    await t.ctx.db('emails').where({ id: body.id }).update({ status: 'sent' });
    return t.api.post(`${path}/${body.id}/cancel`).set(t.auth);
  },
  conflict: async () => {
    const { body } = await send();
    await t.ctx.db('email_contents').where({ email_id: body.id }).delete();
    return t.api.get(`${path}/${body.id}/message`).set(await t.login());
  },
  body_too_slow: () => problemIn(sendPartOfBody()),
  body_too_large: async () =>
    t.api
      .patch('/api/v1/workspace')
      .set(await t.login())
      .send({ name: 'x'.repeat(70_000) }),
  unsupported_media_type: () => t.api.post(path).set(t.auth).type('text').send('Hello'),
  validation_failed: () => send({ ...email, to: [] }),
  missing_template_variables: async () => {
    const template = { name: 'A', subject: '{{a}}', html_body: '<p>{{a}}</p>', text_body: '{{a}}' };
    const { body } = await t.api.post('/api/v1/templates').set(t.auth).send(template);
    return send({ to: email.to, template_id: body.id, template_vars: {} });
  },
  storage_limit_exceeded: async () => {
    const { auth } = await tenantWith({ storage: 1 });
    const template = { name: 'A', subject: 'a', html_body: '<p>a</p>', text_body: 'a' };
    return t.api.post('/api/v1/templates').set(auth).send(template);
  },
  rate_limited: async () => {
    const tenant = await tenantWith({ rate: 1 });
    await send(email, {}, tenant);
    return send(email, {}, tenant);
  },
  daily_cap_exhausted: async () => send(email, {}, await tenantWith({ daily: 0 })),
  internal: () =>
    inAnotherApi({ ownDatabase: 'it renames a table' }, async (other) => {
      await other.ctx.db.raw('alter table templates rename to gone');
      const response = await other.api.get('/api/v1/templates').set(other.auth);
      await other.ctx.db.raw('alter table gone rename to templates');
      return response;
    }),
  unavailable: () =>
    inAnotherApi({ config: { redisUrl: 'redis://127.0.0.1:1', redisDownMode: 'refuse' } }, ({ api, auth }) =>
      api.post(path).set(auth).send(email),
    ),
};

/** Declares a large body and sends the first part of it, then waits for the response. */
async function sendPartOfBody(): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(t.url);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${t.auth.Authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`;
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(`${head}{"text":"${'x'.repeat(90_000)}`);
  const text = (await once(socket, 'data')).join('');
  socket.destroy();
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), body };
}

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});

afterAll(() => t.close());

test.each(Object.keys(provoke) as ProblemCode[])('%s is returned for at least one request', async (code) => {
  const { status, body } = await provoke[code]();
  expect(body).toMatchObject({ code, title: problems[code].title, status });
  expect(body.type).toMatch(new RegExp(`/docs#${code}$`));
});
