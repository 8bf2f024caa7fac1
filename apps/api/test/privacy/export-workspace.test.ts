import { request } from 'node:http';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { until } from '@posthorn/testing';
import { openTestApi, type TestApi } from '../open-test-api.js';

type Line = { object: string; id?: string; lines?: number; mode?: string };

let t: TestApi;
let owner: { Cookie: string };

beforeEach(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 100_000, webhookAllowedNetworks: ['127.0.0.0/8'] } });
  owner = await t.login();
});

afterEach(() => t.close());

const send = (fields: object = {}, auth: object = t.auth) =>
  t.api
    .post('/api/v1/emails')
    .set(auth as Record<string, string>)
    .send({ to: ['jane@example.com'], subject: 'Code', text: '123456', ...fields })
    .expect(202);

const download = (auth: Record<string, string> = owner) =>
  t.api.get('/api/v1/export').set(auth).buffer(true).parse(text);

// biome-ignore lint/suspicious/noExplicitAny: superagent's types of parsers are too narrow
const text: any = (response: NodeJS.ReadableStream, done: (error: Error | null, body: string) => void) => {
  let body = '';
  response.setEncoding('utf8');
  response.on('data', (piece) => {
    body += piece;
  });
  response.on('end', () => done(null, body));
};

const parse = (body: string): Line[] =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Copies an email many times, with everything that the export reads. */
async function copyEmail(id: string, count: number): Promise<void> {
  await t.ctx.db.raw(
    `with copies as (
       insert into emails (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day)
       select gen_random_uuid(), workspace_id, 'sent', from_, from_address, subject, "to", 1, created_at, usage_day
       from emails, generate_series(1, ?::int) where id = ? returning id, workspace_id
     ),
     contents as (insert into email_contents (email_id, workspace_id, text) select id, workspace_id, repeat('x', 2000) from copies)
     insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
     select id, workspace_id, 0, 'to', 'jane@example.com', 'sent', now() from copies`,
    [count, id],
  );
}

test('every line is an object as the API shows it, and the last one counts the others', async () => {
  const template = { name: 'Receipt', subject: 'For {{name}}', html_body: '<p>{{name}}</p>', text_body: '{{name}}' };
  const { body: stored } = await t.api.post('/api/v1/templates').set(t.auth).send(template).expect(201);
  await t.api.patch(`/api/v1/templates/${stored.id}`).set(t.auth).send({ subject: 'Receipt for {{name}}' }).expect(200);
  await t.api.post('/api/v1/domains').set(owner).send({ name: 'mail.example.org' }).expect(201);
  const webhook = { url: 'http://127.0.0.1:9/hook', events: ['email.sent'] };
  const { body: hook } = await t.api.post('/api/v1/webhooks').set(t.auth).send(webhook).expect(201);
  const test = await createKey(t.ctx, operator, t.workspace.id, {
    name: 'Test mode',
    scopes: ['emails:send'],
    mode: 'test',
    expiresAt: null,
  });
  const sent = [
    await send({ tags: [{ name: 'a', value: 'b' }], attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }] }),
    await send({ subject: undefined, text: undefined, template_id: stored.id, template_vars: { name: 'Jane' } }),
    await send({}, { Authorization: `Bearer ${test.text}` }),
  ];
  await t.api.delete('/api/v1/recipients/nobody@example.com').set(owner).expect(202);

  const response = await download();
  expect([response.status, response.headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  expect(response.headers['content-disposition']).toBe(`attachment; filename="${t.workspace.slug}.ndjson"`);
  const lines = parse(response.body);
  expect(lines.at(-1)).toEqual({ object: 'export_end', lines: lines.length - 1 });
  const of = (object: string) => lines.filter((line) => line.object === object);
  const get = async (path: string) => (await t.api.get(path).set(owner).expect(200)).body;
  expect(of('workspace')).toEqual([await get('/api/v1/workspace')]);
  expect(of('usage')).toEqual([await get('/billing/usage')]);
  for (const [object, path] of [
    ['member', '/api/v1/members'],
    ['api_key', '/api/v1/api-keys'],
    ['domain', '/api/v1/domains'],
    ['template', '/api/v1/templates'],
    ['webhook', '/api/v1/webhooks'],
    ['audit_entry', '/api/v1/audit-log'],
    ['erasure', '/api/v1/erasures'],
  ] as const)
    expect([object, of(object)]).toEqual([object, (await get(path)).data]);
  expect(of('template_version')).toEqual([
    await get(`/api/v1/templates/${stored.id}/versions/2`),
    await get(`/api/v1/templates/${stored.id}/versions/1`),
  ]);
  const emails = await Promise.all(sent.map(({ body }) => get(`/api/v1/emails/${body.id}`)));
  expect(of('email').toSorted(byId)).toEqual(emails.toSorted(byId));
  const events = [...(await get('/api/v1/events')).data, ...(await get('/api/v1/events?mode=test')).data];
  expect(of('event')).toEqual(events);
  for (const secret of [t.key, test.text, hook.secret, 'secret_hash', 'password'])
    expect(response.body).not.toContain(secret);
});

const byId = (one: { id?: string }, other: { id?: string }) => ((one.id ?? '') < (other.id ?? '') ? -1 : 1);

test('an export contains nothing of another tenant', async () => {
  const other = await t.otherTenant();
  await send({ subject: 'Theirs' }, other.auth);
  await send({ subject: 'Ours' });
  const { body } = await download();
  for (const text of [other.workspace.id, other.user.email, other.keyId, 'Theirs']) expect(body).not.toContain(text);
  expect(body).toContain('Ours');
});

test('only owners can export, and the audit log says who did', async () => {
  await t.api.get('/api/v1/export').set(t.auth).expect(401);
  await download();
  const { body } = await t.api.get('/api/v1/audit-log').query({ action: 'workspace.exported' }).set(owner);
  expect(body.data).toMatchObject([{ actor: { label: t.user.email }, target: { id: t.workspace.id } }]);
});

/** Begins an export and stops reading after the first piece. */
const begin = () =>
  new Promise<ReturnType<typeof request>>((resolve, reject) => {
    const call = request(`${t.url}/api/v1/export`, { headers: owner }, (response) => {
      response.once('data', () => {
        response.pause();
        resolve(call);
      });
    });
    call.on('error', reject).end();
  });

test('a client that leaves ends its export, and others can begin', async () => {
  await copyEmail((await send({ text: 'x'.repeat(2_000) })).body.id, 5_000);
  const running = [await begin(), await begin()];
  const refused = await t.api.get('/api/v1/export').set(owner);
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  for (const call of running) call.on('error', () => {}).destroy();
  await until(async () => {
    const call = await begin().catch(() => null);
    call?.on('error', () => {}).destroy();
    return call !== null;
  });
});
