import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKey } from '@posthorn/domain/api-keys';
import { deleteUnusedAttachments } from '@posthorn/domain/attachments';
import { operator } from '@posthorn/domain/audit-log';
import { eraseNextBatch } from '@posthorn/domain/erasure';
import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  dumpPostgres,
  dumpRedis,
  openTestContext,
  type SmtpReply,
  type SmtpSink,
  startSmtpSink,
  type TestWorkspace,
  until,
} from '@posthorn/testing';
import { type RunningProcess, startProcess } from './processes.js';

const LOCAL_PART = 'zelda.wxyz';
const ADDRESS = `${LOCAL_PART}@persons.example`;
/** As clients write it. */
const WRITTEN = `Zelda Wxyz <Zelda.Wxyz@Persons.Example>`;
/** Everything personal contains this. Its nine bytes take exactly twelve characters of base64. */
const MARKER = 'quagga7f3';
const TRACES = [LOCAL_PART, 'persons.example', MARKER, 'wxyz', Buffer.from(MARKER).toString('base64').toLowerCase()];

let ctx: Context;
let sink: SmtpSink;
let receiver: Server;
let env: NodeJS.ProcessEnv;
let api: RunningProcess;
let worker: RunningProcess;
let tenant: TestWorkspace;
let other: TestWorkspace;
let cookie: string;
/** What the mail server says to the next RCPT commands with the address. */
const replies: SmtpReply[] = [];

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' });
  sink = await startSmtpSink({
    reply: (command, address) =>
      command === 'RCPT' && address.toLowerCase() === ADDRESS ? replies.shift() : undefined,
  });
  // Repeats every request in its answer, and refuses half of them.
  let requests = 0;
  receiver = createServer((request, response) => {
    requests += 1;
    response.statusCode = requests % 2 === 0 ? 500 : 200;
    request.pipe(response);
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  other = await createTestWorkspace(ctx, { planId: 'pro' });
  env = {
    SMTP_URL: sink.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
    RETRY_SCHEDULE: '3600',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  };
  api = await startProcess('api', ctx, env);
  const { email, password } = tenant;
  const login = await fetch(`${api.url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
});

afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  receiver.closeAllConnections();
  receiver.close();
  await sink.close();
  await closeTestContext(ctx);
});

async function call(method: string, path: string, body?: object, headers?: Record<string, string>) {
  const response = await fetch(api.url + path, {
    method,
    headers: { ...(headers ?? { Cookie: cookie }), 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

const buildAuth = (key: string) => ({ Authorization: `Bearer ${key}` });
const send = async (fields: object = {}, headers: Record<string, string> = buildAuth(tenant.key)): Promise<string> =>
  (await call('POST', '/api/v1/emails', { to: [WRITTEN], subject: MARKER, text: MARKER, ...fields }, headers)).id;

const read = (id: string) => call('GET', `/api/v1/emails/${id}`);
const untilStatus = (id: string, status: string) => until(async () => (await read(id)).status === status);
const usedThisMonth = async () => (await call('GET', '/billing/usage')).monthly.used;

/** What must stay of an email. */
async function skeleton(id: string) {
  const { status, created_at, recipients, attempts, events } = await read(id);
  return {
    status,
    created_at,
    recipients: recipients.map(({ kind, status: own, smtp_code }: Record<string, unknown>) => [kind, own, smtp_code]),
    attempts: attempts.map(({ attempt, outcome, route }: Record<string, unknown>) => [attempt, outcome, route]),
    events: events.map(({ type, sequence }: Record<string, unknown>) => [type, sequence]),
  };
}

/** Sends one email of each kind. @returns ids by kind */
async function sendEverything() {
  replies.push({ code: 450, text: `4.2.1 <${ADDRESS}> is full` });
  const deferred = await send();
  await untilStatus(deferred, 'deferred');
  const template = await call('POST', '/api/v1/templates', {
    name: 'Receipt',
    subject: 'For {{name}}',
    html_body: 'Hi {{name}}',
    text_body: 'Hi {{name}}',
  });
  const { text: testKey } = await createKey(ctx, operator, tenant.workspaceId, {
    name: 'Test mode',
    scopes: ['emails:send'],
    mode: 'test',
    expiresAt: null,
  });
  const file = { filename: `${MARKER}.txt`, content: Buffer.from(MARKER.repeat(9)).toString('base64') };
  const ids = {
    plain: await send({
      html: `<p>${MARKER}</p>`,
      headers: { 'X-Note': MARKER },
      tags: [{ name: 'who', value: MARKER }],
    }),
    template: await send({
      subject: undefined,
      text: undefined,
      template_id: template.id,
      template_vars: { name: MARKER },
    }),
    cc: await send({ to: ['ann@example.com'], cc: [WRITTEN], bcc: ['bob@example.com'] }),
    bcc: await send({ to: ['ann@example.com'], bcc: [WRITTEN] }),
    replyTo: await send({ to: ['support@example.com'], reply_to: [WRITTEN] }),
    attachment: await send({ attachments: [file] }),
    keyed: await send({}, { ...buildAuth(tenant.key), 'Idempotency-Key': 'order-1' }),
    test: await send({}, { ...buildAuth(testKey), 'Idempotency-Key': 'order-1' }),
  };
  for (const id of Object.values(ids)) await untilStatus(id, 'sent');
  // This comes last, because it suppresses the address.
  replies.push({ code: 550, text: `5.1.1 <${ADDRESS}> does not live here` });
  const bounced = await send();
  await untilStatus(bounced, 'bounced');
  const scheduled = await send({ scheduled_at: new Date(Date.now() + 86_400_000).toISOString() });
  return { ids: { ...ids, bounced }, deferred, scheduled };
}

const webhook = () => ({
  url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  events: ['email.accepted', 'email.sent', 'email.bounced', 'email.deferred', 'email.canceled'],
});

/** Erases what is left in this process, without the two minutes that workers wait for requests in progress. */
async function finishErasures(): Promise<void> {
  do
    await ctx
      .db('erasures')
      .whereNotNull('due_at')
      .update({ due_at: new Date(0) });
  while (await eraseNextBatch(ctx, { lateResponseSeconds: 0 }));
  await ctx.db('blobs').update({ kept_until: new Date(0) });
  await deleteUnusedAttachments(ctx, 100);
}

test('nothing in Postgres or Redis tells of an erased recipient, and everything else stays', async () => {
  worker = await startProcess('worker', ctx, env);
  await call('POST', '/api/v1/webhooks', webhook());
  const { ids, deferred, scheduled } = await sendEverything();
  const untouched = [
    await send({ to: ['ann@example.com'], subject: 'Hello Ann', text: 'Hi', tags: [{ name: 'who', value: 'ann' }] }),
    await send({ subject: 'Theirs', text: 'Hi' }, buildAuth(other.key)),
  ] as const;
  await untilStatus(untouched[0], 'sent');
  await until(async () => (await ctx.db('webhook_deliveries').where({ attempt: 0 })).length === 0);
  await until(async () => (await ctx.db('deliveries').whereNotNull('lease_until')).length === 0);

  // Workers count sent emails at some time later.
  const ofOther = async () =>
    (await dumpPostgres(ctx)).filter((line) => line.includes(other.workspaceId) && !line.startsWith('sending_stats '));
  const before = {
    ann: await read(untouched[0]),
    other: await ofOther(),
    used: await usedThisMonth(),
    skeletons: await Promise.all(Object.values(ids).map(skeleton)),
  };
  expect(
    before.other.filter((line) => line.includes('Persons.Example') || line.includes('persons.example')),
  ).not.toEqual([]);
  const traced = await dumpPostgres(ctx);
  for (const trace of TRACES) expect(traced.some((line) => line.toLowerCase().includes(trace))).toBe(true);
  expect((await dumpRedis(ctx)).join('\n').toLowerCase()).toContain(LOCAL_PART);

  // The first worker dies in the middle of its first batch, while it waits for a table that another transaction holds.
  const lock = await ctx.db.transaction();
  await lock.raw('lock table delivery_attempts in share mode');
  const erasure = await call('DELETE', `/api/v1/recipients/${encodeURIComponent(ADDRESS.toUpperCase())}`);
  expect(erasure).toMatchObject({ object: 'erasure', status: 'pending', erased_emails: 0 });
  await until(async () => {
    const { rows } = await ctx.db.raw("select from pg_stat_activity where wait_event_type = 'Lock'");
    return rows.length > 0;
  });
  worker.child.kill('SIGKILL');
  await once(worker.child, 'close');
  await lock.rollback();
  expect((await read(ids.plain)).text).toBe(MARKER);
  worker = await startProcess('worker', ctx, env);
  const progress = () => call('GET', `/api/v1/erasures/${erasure.id}`);
  const total = Object.keys(ids).length + 2;
  await until(async () => (await progress()).erased_emails === total);
  await worker.stop();
  expect(worker.lines.join('\n')).not.toMatch(new RegExp(LOCAL_PART, 'i'));
  await finishErasures();
  expect(await progress()).toMatchObject({ status: 'finished', erased_emails: total, waiting_emails: 0 });

  const left = (await dumpPostgres(ctx)).filter((line) => !line.includes(other.workspaceId));
  const keys = (await dumpRedis(ctx)).filter((line) => !line.includes(untouched[1]));
  const all = [...left, ...keys].map((line) => line.toLowerCase());
  for (const trace of [...TRACES, ...TRACES.map((text) => Buffer.from(text).toString('hex'))])
    expect(all.filter((line) => line.includes(trace))).toEqual([]);

  expect(await ofOther()).toEqual(before.other);
  expect(await read(untouched[0])).toEqual(before.ann);
  expect(await Promise.all(Object.values(ids).map(skeleton))).toEqual(before.skeletons);
  for (const [id, code] of [
    [deferred, 450],
    [scheduled, null],
  ] as const)
    expect(await skeleton(id)).toMatchObject({ status: 'canceled', recipients: [['to', 'canceled', code]] });
  expect(await usedThisMonth()).toBe(before.used - 2);
  const ofAnn = (await read(ids.cc)).recipients.map(({ address, status }: Record<string, unknown>) => [
    address,
    status,
  ]);
  expect(ofAnn).toEqual([
    ['ann@example.com', 'sent'],
    ['erased-2@erased.invalid', 'sent'],
    ['bob@example.com', 'sent'],
  ]);
  const repeated = await call(
    'POST',
    '/api/v1/emails',
    { to: [WRITTEN], subject: MARKER, text: MARKER },
    { ...buildAuth(tenant.key), 'Idempotency-Key': 'order-1' },
  );
  expect(repeated).toMatchObject({ id: ids.keyed, to: ['erased-1@erased.invalid'], subject: '(erased)' });
}, 240_000);
