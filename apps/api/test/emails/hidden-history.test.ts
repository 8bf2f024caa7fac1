import type { Scope } from '@posthorn/contract';
import { recordOpensAndClicks } from '@posthorn/domain/tracking';
import { openTestApi, type TestApi } from '../open-test-api.js';

const TOKEN = 'tok_8f31c2d9';
const LINK = `https://acme.example/reset?token=${TOKEN}`;
const SUBJECT = 'Your code is 482913';
const REPLY = `550 5.7.1 "${SUBJECT}" has the blocked link acme.example/reset?token=${TOKEN} (${LINK}), see https://help.example/a#b`;
const HIDDEN_REPLY =
  '550 5.7.1 "..." has the blocked link acme.example/... (https://acme.example/... see https://help.example/...';

let t: TestApi;
let id: string;
let webhookId: string;

beforeAll(async () => {
  t = await openTestApi({ config: { webhookAllowedNetworks: ['127.0.0.0/8'] } });
  const email = {
    to: ['jane@example.com'],
    subject: SUBJECT,
    html: `<a href="${LINK}">Reset</a>`,
    headers: { 'List-Unsubscribe': `<${LINK}>`, 'X-Kind': 'reset' },
  };
  id = (await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202)).body.id;
  await storeRefusal();
  const hit = { emailId: id, position: 0, isMachine: false, at: new Date() };
  await recordOpensAndClicks(t.ctx, [
    { ...hit, url: null },
    { ...hit, url: LINK },
  ]);
  await storeDeliveries();
});

afterAll(() => t.close());

/** What the worker stores when a server refuses the message and quotes it. */
async function storeRefusal(): Promise<void> {
  await t.ctx.db('emails').where({ id }).update({ status: 'deferred' });
  await t.ctx.db('email_recipients').where({ email_id: id }).update({ status: 'deferred', smtp_response: REPLY });
  const at = { started_at: new Date(), ended_at: new Date() };
  await t.ctx.db('delivery_attempts').insert({
    ...{ email_id: id, workspace_id: t.workspace.id, attempt: 1, outcome: 'deferred', phase: 'reply', route: 'smtp' },
    conversation: ['C: DATA', 'S: 354 Go on', `S: ${REPLY}`],
    ...at,
  });
  await t.ctx.db.raw(
    `insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
     values (gen_random_uuid(), ?, 2, ?, 'email.deferred', 'jane@example.com', ?, now())`,
    [id, t.workspace.id, REPLY],
  );
}

/** What the worker stores when it has posted the events to a webhook whose receiver echoes them. */
async function storeDeliveries(): Promise<void> {
  const webhook = { url: 'http://127.0.0.1:9/', events: ['email.deferred', 'email.clicked'] };
  webhookId = (await t.api.post('/api/v1/webhooks').set(t.auth).send(webhook).expect(201)).body.id;
  const attempt = { at: new Date().toISOString(), ms: 1, status: 500, body: LINK, truncated: false, error: 'x' };
  await t.ctx.db.raw(
    `insert into webhook_deliveries (webhook_id, event_id, workspace_id, stream_id, sequence, status, attempt, attempts)
     select ?, id, workspace_id, stream_id, sequence, 'failed', 1, ?::jsonb from events where stream_id = ? and sequence > 1`,
    [webhookId, JSON.stringify([attempt]), id],
  );
}

/** Every route that shows the history of an email, and the scopes that open it beside emails:read. */
const reads: Array<[path: () => string, ...scopes: Scope[]]> = [
  [() => `/api/v1/emails/${id}`, 'emails:send'],
  [() => `/api/v1/emails/${id}/attempts`, 'emails:send'],
  [() => `/api/v1/emails/${id}/events`, 'emails:send'],
  [() => '/api/v1/emails', 'emails:send'],
  [() => '/api/v1/emails?format=csv', 'emails:send'],
  [() => '/api/v1/emails?q=jane@example', 'emails:send'],
  [() => `/api/v1/webhooks/${webhookId}/deliveries`, 'webhooks:write'],
];

const read = async (path: string, scopes: Scope[]) =>
  t.api
    .get(path)
    .set({ Authorization: `Bearer ${await t.keyWith(scopes)}` })
    .expect(200);

describe('the history of an email', () => {
  test.each(reads)('has no links and no subject for a key without emails:read: %s', async (path, ...scopes) => {
    const { text } = await read(path(), scopes);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('482913');
  });

  test('still shows what servers replied', async () => {
    const { body } = await read(`/api/v1/emails/${id}`, ['emails:send']);
    expect(body.explanation).toContain('answered 550');
    expect(body.recipients[0].smtp_response).toBe(HIDDEN_REPLY);
    expect(body.attempts[0].conversation).toEqual(['C: DATA', 'S: 354 Go on', `S: ${HIDDEN_REPLY}`]);
    expect(body.headers).toEqual({ 'List-Unsubscribe': '<https://acme.example/...', 'X-Kind': 'reset' });
    expect(body.events.map(({ type, detail }: { type: string; detail: string | null }) => [type, detail])).toEqual([
      ['accepted', null],
      ['deferred', HIDDEN_REPLY],
      ['opened', '(probably automated)'],
      ['clicked', null],
    ]);
  });

  test.each(reads.slice(0, 3))('is complete for a key with emails:read: %s', async (path) => {
    expect((await read(path(), ['emails:read'])).text).toContain(TOKEN);
  });

  test('in the log of a webhook is complete for a key that may also read emails', async () => {
    const { body } = await read(`/api/v1/webhooks/${webhookId}/deliveries`, ['webhooks:write', 'emails:read']);
    expect(body.data.map(({ event }: { event: { data: { url?: string } } }) => event.data.url)).toContain(LINK);
    expect(JSON.stringify(body.data.map((delivery: { body: string }) => delivery.body))).toContain(TOKEN);
  });
});
