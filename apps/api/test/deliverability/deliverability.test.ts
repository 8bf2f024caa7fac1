import { pauseWorkspace, resumeWorkspace } from '@posthorn/domain/deliverability';
import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';

let t: TestApi;
beforeAll(async () => {
  t = await openTestApi();
});
afterAll(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const REASON = 'In the last 7 days, too much bounced.';

const get = (path: string, auth = t.auth) => t.api.get(`/api/v1${path}`).set(auth);

test('a workspace that has sent nothing has no rates', async () => {
  const { auth } = await t.otherTenant();
  const { status, body } = await get('/deliverability', auth);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'ok',
    paused: null,
    limits: {
      bounce_rate: { warning: 0.02, pause: 0.05 },
      complaint_rate: { warning: 0.001, pause: 0.003 },
    },
    domains: [],
    bounces: [],
  });
  expect(body.windows).toEqual(
    ['24h', '7d', '30d'].map((window) => ({
      window,
      sent: 0,
      bounced: 0,
      hard_bounced: 0,
      counted_bounces: 0,
      complained: 0,
      unauthenticated_complaints: 0,
      bounce_rate: null,
      complaint_rate: null,
      status: 'ok',
    })),
  );
  expect((await get('/bounces', auth)).body).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null });
});

test('rates are reported for each window, for the workspace and each sending domain', async () => {
  const { body: domain } = await t.api.post('/api/v1/domains').set(t.auth).send({ name: 'shop.example' });
  const row = { workspace_id: t.workspace.id, hard_bounced: 1, complained: 1, unauthenticated_complaints: 3 };
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await t.ctx.db('sending_stats').insert([
    { ...row, domain_id: domain.id, hour: hoursAgo(1), sent: 50, bounced: 2, counted_bounces: 1 },
    { ...row, domain_id: domain.id, hour: hoursAgo(30), sent: 950, bounced: 18, counted_bounces: 9 },
    { ...row, domain_id: null, hour: hoursAgo(200), sent: 1_000, bounced: 91, counted_bounces: 90 },
  ]);
  const { body } = await get('/deliverability');
  const counts = { sent: 1_000, bounced: 20, hard_bounced: 2, counted_bounces: 10 };
  const complaints = { complained: 2, unauthenticated_complaints: 6 };
  const own = { ...counts, ...complaints, bounce_rate: 0.01, complaint_rate: 0.002 };
  expect(body).toMatchObject({
    status: 'warning',
    windows: [
      { window: '24h', sent: 50, bounced: 2, bounce_rate: null, complaint_rate: null, status: 'ok' },
      { window: '7d', ...own, status: 'warning' },
      { window: '30d', sent: 2_000, bounced: 111, bounce_rate: 0.05, complaint_rate: 0.0015, status: 'pause' },
    ],
    domains: expect.arrayContaining([
      {
        domain_id: domain.id,
        name: 'shop.example',
        windows: expect.arrayContaining([{ window: '7d', ...own, status: 'warning' }]),
      },
      { domain_id: null, name: t.ctx.config.platformSenderDomain, windows: expect.anything() },
    ]),
  });
});

test('a key that can only send sees neither rates nor bounces', async () => {
  const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
  for (const path of ['/deliverability', '/bounces'])
    expect(toProblem(await get(path, auth))).toMatchObject({ status: 403, code: 'missing_scope' });
});

test('a test key sees neither rates nor bounces, because they are about live mail', async () => {
  const auth = { Authorization: `Bearer ${await t.keyWith(['emails:read'], 'test')}` };
  for (const path of ['/deliverability', '/bounces'])
    expect(toProblem(await get(path, auth))).toMatchObject({
      status: 403,
      code: 'missing_scope',
      detail: expect.stringContaining('deliverability'),
    });
});

test('bounces can be filtered by class, and are those of the workspace only', async () => {
  const { body: accepted } = await t.api.post('/api/v1/emails').set(t.auth).send(email);
  const id = newId();
  const event = { stream_id: accepted.id, sequence: 2, workspace_id: t.workspace.id, type: 'email.bounced' };
  await t.ctx
    .db('events')
    .insert({ ...event, id, recipient: 'jane@example.com', detail: '550 No', created_at: new Date() });
  await t.ctx.db('bounces').insert({
    workspace_id: t.workspace.id,
    id,
    email_id: accepted.id,
    sequence: 2,
    bounce_class: 'bad_mailbox',
  });
  const found = { object: 'bounce', id, email_id: accepted.id, recipient: 'jane@example.com', reply: '550 No' };
  expect((await get('/bounces?class=bad_mailbox')).body.data).toEqual([expect.objectContaining(found)]);
  expect((await get('/bounces?class=content')).body.data).toEqual([]);
  expect((await get('/bounces?class=hard')).status).toBe(422);
  const other = (await t.otherTenant()).auth;
  expect((await get('/bounces', other)).body.data).toEqual([]);
  expect((await get('/deliverability', other)).body.bounces).toEqual([]);
  expect((await get('/deliverability')).body.bounces).toEqual([{ class: 'bad_mailbox', count: 1 }]);
});

describe('a paused workspace', () => {
  const withKey = (key: string) => ({ ...tenant.auth, 'Idempotency-Key': key });
  const send = (body: object = email, headers: Record<string, string> = tenant.auth) =>
    tenant.api.post('/api/v1/emails').set(headers).send(body);
  let tenant: TestApi;
  let session: { Cookie: string };

  beforeAll(async () => {
    tenant = await openTestApi();
    session = await tenant.login();
    expect((await send(email, withKey('before'))).status).toBe(202);
    await pauseWorkspace(tenant.ctx, tenant.workspace.id, REASON);
    // A process knows the workspace for up to a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  });

  test('refuses new emails, batches, scheduled emails and checks, and says why', async () => {
    const scheduled = { ...email, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const refused = [
      await send(),
      await send(scheduled),
      await send(email, session),
      await tenant.api.post('/api/v1/emails/batch').set(tenant.auth).send([email, email]),
      await tenant.api.post('/api/v1/emails/check').set(tenant.auth).send(email),
    ];
    for (const response of refused)
      expect(toProblem(response)).toMatchObject({
        status: 403,
        code: 'workspace_paused',
        detail: expect.stringContaining(REASON),
      });
  });

  test('still answers a repeated request with its key, and accepts test mail', async () => {
    expect((await send(email, withKey('before'))).status).toBe(202);
    const { body } = await tenant.api
      .post('/api/v1/api-keys')
      .set(session)
      .send({ name: 'Test', scopes: ['emails:send'], mode: 'test' });
    expect((await send(email, { Authorization: `Bearer ${body.key}` })).status).toBe(202);
  });

  test('shows the pause in the session and the report, and mails password resets', async () => {
    const paused = { since: expect.any(String), reason: REASON, by: 'operator', owner_can_resume: false };
    expect((await tenant.api.get('/auth/session').set(session)).body.workspace.paused).toEqual(paused);
    expect((await get('/deliverability', tenant.auth)).body).toMatchObject({ status: 'paused', paused });
    expect((await tenant.api.post('/auth/forgot').send({ email: tenant.user.email })).status).toBe(202);
    const isMailed = async () => (await tenant.ctx.db('emails').whereRaw('"to" = ?', [[tenant.user.email]])).length > 0;
    for (let tries = 0; tries < 50 && !(await isMailed()); tries += 1) await new Promise((go) => setTimeout(go, 50));
    expect(await isMailed()).toBe(true);
  });

  test('cannot be resumed by its owners if the operator has paused it', async () => {
    const response = await tenant.api.post('/api/v1/workspace/resume').set(session).send({ reason: 'It is fixed.' });
    expect(toProblem(response)).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: 'The operator has paused the workspace. Ask the operator to resume it.',
    });
  });

  test('does not affect another workspace', async () => {
    expect((await send(email, (await tenant.otherTenant()).auth)).status).toBe(202);
  });

  test('sends again after it was resumed', async () => {
    const { workspace, auth } = await tenant.otherTenant();
    await pauseWorkspace(tenant.ctx, workspace.id, REASON);
    expect((await send(email, auth)).status).toBe(403);
    await resumeWorkspace(tenant.ctx, workspace.id);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await send(email, auth)).status).toBe(202);
  });
});

test('an owner resumes a workspace that the service has paused, with a reason', async () => {
  const tenant = await openTestApi();
  const owner = await tenant.login();
  const send = () => tenant.api.post('/api/v1/emails').set(tenant.auth).send(email);
  const resume = (auth: Record<string, string>, body: object = { reason: 'We removed old addresses.' }) =>
    tenant.api.post('/api/v1/workspace/resume').set(auth).send(body);
  const pause = { paused_at: new Date(), pause_reason: REASON, paused_by: 'system' };
  await tenant.ctx.db('workspaces').where({ id: tenant.workspace.id }).update(pause);
  expect((await send()).status).toBe(403);
  const { body: paused } = await tenant.api.get('/auth/session').set(owner);
  expect(paused.workspace.paused).toMatchObject({ reason: REASON, by: 'system', owner_can_resume: true });
  expect((await resume(owner, {})).status).toBe(422);
  expect((await resume(tenant.auth)).status).toBe(401);
  expect((await resume(owner)).body).toMatchObject({ object: 'workspace', paused: null });
  // A process knows the workspace for up to a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await send()).status).toBe(202);
  expect(toProblem(await resume(owner))).toMatchObject({ status: 409, detail: 'The workspace is not paused.' });
  const { body: log } = await tenant.api.get('/api/v1/audit-log?action=workspace.resumed').set(owner);
  expect(log.data[0].changes).toMatchObject({ because: { from: null, to: 'We removed old addresses.' } });
});
