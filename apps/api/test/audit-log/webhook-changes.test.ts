import { openTestApi, type TestApi } from '../open-test-api.js';
import { listEntries, newestEntry } from './audit-log-client.js';

const config = { trustedProxyHops: 1, webhookAllowedNetworks: ['127.0.0.0/8'] };

let t: TestApi;
let session: { Cookie: string };

beforeEach(async () => {
  t = await openTestApi({ config });
  session = await t.login();
});

afterEach(() => t.close());

const IP = '203.0.113.7';
const path = '/api/v1/webhooks';
const valid = { url: 'http://127.0.0.1:9/hook', events: ['email.sent'] };

const send = (method: 'post' | 'patch' | 'delete', to: string, body?: object) =>
  t.api[method](to)
    .set({ ...t.auth, 'X-Forwarded-For': IP })
    .send(body);

test('each change of a webhook has an entry with who made it, from where, and the values before and after', async () => {
  const { body: webhook } = await send('post', path, { ...valid, description: 'Shop' }).expect(201);
  const byKey = {
    actor: { type: 'api_key', id: t.keyId, label: 'Test key' },
    ip: IP,
    target: { type: 'webhook', id: webhook.id, label: valid.url },
  };
  expect(await newestEntry(t, session)).toMatchObject({
    ...byKey,
    action: 'webhook.created',
    changes: {
      url: { from: null, to: valid.url },
      description: { from: null, to: 'Shop' },
      events: { from: null, to: ['email.sent'] },
      status: { from: null, to: 'enabled' },
    },
  });

  const moved = { url: 'http://127.0.0.2:9/hook', events: ['email.sent', 'email.bounced'], status: 'disabled' };
  await send('patch', `${path}/${webhook.id}`, { ...moved, description: 'Shop' }).expect(200);
  const updated = await newestEntry(t, session);
  expect(updated).toMatchObject({ ...byKey, action: 'webhook.updated', target: { label: moved.url } });
  expect(updated?.changes).toEqual({
    url: { from: valid.url, to: moved.url },
    events: { from: ['email.sent'], to: ['email.sent', 'email.bounced'] },
    status: { from: 'enabled', to: 'disabled' },
  });

  await send('post', `${path}/${webhook.id}/rotate-secret`, { overlap_seconds: 60 }).expect(200);
  expect(await newestEntry(t, session)).toMatchObject({
    action: 'webhook.secret_rotated',
    changes: { overlap_seconds: { from: null, to: 60 } },
  });

  await send('delete', `${path}/${webhook.id}`).expect(200);
  expect(await newestEntry(t, session)).toMatchObject({
    action: 'webhook.deleted',
    changes: { url: { from: moved.url, to: null }, status: { from: 'disabled', to: null } },
  });
  expect((await listEntries(t, session, `?target=${webhook.id}`)).data).toHaveLength(4);
});

test('no entry has a secret of a webhook', async () => {
  const { body: webhook } = await send('post', path, valid).expect(201);
  const { body: rotated } = await send('post', `${path}/${webhook.id}/rotate-secret`).expect(200);
  const { rows } = await t.ctx.db.raw('select audit_log::text as text from audit_log where workspace_id = ?', [
    t.workspace.id,
  ]);
  const log = rows.map(({ text }: { text: string }) => text).join('\n');
  expect(log).toContain('webhook.secret_rotated');
  const stored = await t.ctx.db('webhook_secrets').select('secret').where({ webhook_id: webhook.id });
  expect(stored).toHaveLength(2);
  for (const secret of [webhook.secret, rotated.secret]) expect(log).not.toContain(secret.slice('whsec_'.length, 30));
  for (const { secret } of stored) expect(log).not.toContain(secret.toString('hex').slice(0, 40));
});

test('a refused change, and one that changes nothing, have no entry', async () => {
  const { body: webhook } = await send('post', path, valid).expect(201);
  const count = async () => (await listEntries(t, session, `?target=${webhook.id}`)).data.length;
  await send('patch', `${path}/${webhook.id}`, { url: 'https://10.0.0.1/' }).expect(422);
  await send('patch', `${path}/${webhook.id}`, { url: valid.url }).expect(200);
  await send('post', `${path}/${webhook.id}/test`).expect(202);
  expect(await count()).toBe(1);
});

test('a change fails if its entry cannot be written', async () => {
  await t.close();
  t = await openTestApi({ config, ownDatabase: 'it adds a constraint to a table' });
  const { body: webhook } = await send('post', path, valid).expect(201);
  const readAll = async () =>
    Promise.all(
      ['webhooks', 'webhook_secrets', 'webhook_states'].map(async (table) =>
        (await t.ctx.db(table).select('*')).map((row) => JSON.stringify(row)).sort(),
      ),
    );
  const before = await readAll();
  await t.ctx.db.raw('alter table audit_log add constraint full_log check (false) not valid');
  for (const [method, to, body] of [
    ['post', path, valid],
    ['patch', `${path}/${webhook.id}`, { description: 'Other' }],
    ['post', `${path}/${webhook.id}/rotate-secret`, {}],
    ['delete', `${path}/${webhook.id}`, undefined],
  ] as const) {
    const { status } = await send(method, to, body);
    expect([method, to, status]).toEqual([method, to, 500]);
  }
  expect(await readAll()).toEqual(before);
});
