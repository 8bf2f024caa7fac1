import { operator } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { accept, invite, join, listMembers, PASSWORD, type Session, tokenFor } from '../members/member-client.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const template = { name: 'Receipt', subject: 'Receipt', html_body: '<p>canary-html</p>', text_body: 'canary-text' };

describe('the audit log and the changes that it describes', () => {
  let t: TestApi;
  let session: Session;
  beforeEach(async () => {
    t = await openTestApi({
      config: { trackingUrl: 'http://localhost:3001' },
      ownDatabase: 'it adds a constraint to a table and compares all rows',
    });
    session = await t.login();
  });
  afterEach(() => t.close());

  const countEntries = async (): Promise<number> =>
    (await t.ctx.db('audit_log').count<{ count: number }[]>())[0]?.count ?? 0;

  /** Expects that the requests add no entries. */
  async function expectNoEntries(makeRequests: () => Promise<unknown>): Promise<void> {
    const before = await countEntries();
    await makeRequests();
    expect(await countEntries()).toBe(before);
  }

  test('a refused change has no entry', async () => {
    await t.api.post('/api/v1/domains').set(session).send({ name: 'mail.example' }).expect(201);
    await invite(t, session, 'bob@example.com');
    const [self] = (await listMembers(t, session)).filter(({ status }) => status === 'active');
    await expectNoEntries(async () => {
      await t.api.post('/api/v1/domains').set(session).send({ name: 'MAIL.example' }).expect(409);
      await t.api.post('/api/v1/members').set(session).send({ email: 'Bob@example.com', role: 'member' }).expect(409);
      await t.api.patch(`/api/v1/members/${self?.id}`).set(session).send({ role: 'member' }).expect(409);
      await t.api.delete(`/api/v1/members/${self?.id}`).set(session).expect(409);
      await t.api.patch('/api/v1/workspace').set(session).send({ email_retention_days: 99_999 }).expect(422);
      await accept(t, await tokenFor(t, 'bob@example.com'), 'short').expect(422);
    });
  });

  test('a change at a limit has no entry', async () => {
    await t.ctx.db.raw(
      `insert into api_keys (id, workspace_id, name, secret_hash, hint, scopes, created_at)
       select gen_random_uuid(), ?, 'k', '\\x00', 'hint', '{}', now() from generate_series(2, ?::int)`,
      [t.workspace.id, limits.keys.max],
    );
    const fields = { name: 'One more', scopes: ['emails:send'] };
    await expectNoEntries(() => t.api.post('/api/v1/api-keys').set(session).send(fields).expect(409));
  });

  test('an update that changes nothing has no entry', async () => {
    const { body } = await t.api.post('/api/v1/templates').set(session).send(template).expect(201);
    const { id } = await invite(t, session, 'bob@example.com');
    await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 5 });
    await expectNoEntries(async () => {
      await t.api.patch(`/api/v1/templates/${body.id}`).set(session).send(template).expect(200);
      await t.api.post(`/api/v1/templates/${body.id}/versions/1/restore`).set(session).expect(200);
      await t.api.patch(`/api/v1/members/${id}`).set(session).send({ role: 'member' }).expect(200);
      await t.api
        .patch('/api/v1/workspace')
        .set(session)
        .send({ name: 'Test', email_retention_days: null })
        .expect(200);
      await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 5 });
      await setWorkspaceLimits(t.ctx, operator, t.workspace.id, {});
    });
  });

  test('a change fails if its entry cannot be written', async () => {
    const { body: saved } = await t.api.post('/api/v1/templates').set(session).send(template).expect(201);
    await t.api.patch(`/api/v1/templates/${saved.id}`).set(session).send({ subject: 'Version 2' }).expect(200);
    const { body: domain } = await t.api
      .post('/api/v1/domains')
      .set(session)
      .send({ name: 'mail.example' })
      .expect(201);
    const { id: invitationId } = await invite(t, session, 'bob@example.com');
    const { id: memberId } = await join(t, session, 'eve@example.com');
    await invite(t, session, 'ann@example.com');
    const annToken = await tokenFor(t, 'ann@example.com');
    const tables = ['api_keys', 'templates', 'template_versions', 'sending_domains', 'domain_keys', 'invitations'];
    const readAll = async () =>
      Promise.all(
        [...tables, 'memberships', 'users', 'workspaces', 'plan_overrides'].map(async (table) => {
          const rows = await t.ctx.db(table).select('*');
          return [table, rows.map(({ last_used_at, ...row }) => JSON.stringify(row)).sort()];
        }),
      );
    const before = await readAll();
    await t.ctx.db.raw('alter table audit_log add constraint full_log check (false) not valid');

    const api = '/api/v1';
    const scopes = ['emails:send'];
    for (const [method, path, body] of [
      ['post', `${api}/api-keys`, { name: 'K', scopes }],
      ['delete', `${api}/api-keys/${t.keyId}`],
      ['post', `${api}/domains`, { name: 'other.example' }],
      ['post', `${api}/domains/${domain.id}/rotate-key`],
      ['patch', `${api}/domains/${domain.id}`, { track_opens: true }],
      ['delete', `${api}/domains/${domain.id}`],
      ['post', `${api}/templates`, template],
      ['patch', `${api}/templates/${saved.id}`, { name: 'New' }],
      ['post', `${api}/templates/${saved.id}/versions/1/restore`],
      ['post', `${api}/templates/${saved.id}/duplicate`],
      ['delete', `${api}/templates/${saved.id}`],
      ['post', `${api}/members`, { email: 'new@example.com', role: 'member' }],
      ['post', `${api}/members/${invitationId}/resend`],
      ['patch', `${api}/members/${invitationId}`, { role: 'owner' }],
      ['delete', `${api}/members/${invitationId}`],
      ['patch', `${api}/members/${memberId}`, { role: 'owner' }],
      ['delete', `${api}/members/${memberId}`],
      ['patch', `${api}/workspace`, { name: 'New' }],
      ['post', '/auth/signup', { email: 'ada@example.com', password: PASSWORD }],
      ['post', '/auth/accept-invitation', { token: annToken, password: PASSWORD }],
    ] as const) {
      const { status } = await t.api[method](path).set(session).send(body);
      expect([method, path, status]).toEqual([method, path, 500]);
    }
    await expect(setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 5 })).rejects.toThrow('full_log');
    expect(await readAll()).toEqual(before);
  });

  test('no entry contains a secret or a body of a template', async () => {
    const scopes = ['emails:send'];
    const { body: key } = await t.api.post('/api/v1/api-keys').set(session).send({ name: 'K', scopes }).expect(201);
    const { body: saved } = await t.api.post('/api/v1/templates').set(session).send(template).expect(201);
    const change = { html_body: '<p>canary-html-2</p>', variables: [] };
    await t.api.patch(`/api/v1/templates/${saved.id}`).set(session).send(change).expect(200);
    const { body: domain } = await t.api
      .post('/api/v1/domains')
      .set(session)
      .send({ name: 'mail.example' })
      .expect(201);
    await t.api.post(`/api/v1/domains/${domain.id}/rotate-key`).set(session).expect(200);
    const { id } = await invite(t, session, 'bob@example.com');
    const firstToken = await tokenFor(t, 'bob@example.com');
    await t.api.post(`/api/v1/members/${id}/resend`).set(session).expect(200);
    const token = await tokenFor(t, 'bob@example.com');
    await accept(t, token).expect(200);
    await t.api.delete(`/api/v1/api-keys/${key.id}`).set(session).expect(200);

    const { rows } = await t.ctx.db.raw('select audit_log::text as text from audit_log');
    const log = rows.map(({ text }: { text: string }) => text).join('\n');
    expect(log.split('\n').length).toBeGreaterThan(10);
    const { db } = t.ctx;
    const bytes = [
      ...(await db('api_keys').select('secret_hash as bytes')),
      ...(await db('domain_keys').select('private_key as bytes')),
      ...(await db('sessions').select('token_hash as bytes')),
    ].map((row: { bytes: Buffer }) => row.bytes);
    const hashes = (await db('users').select('password_hash')).map(
      (row: { password_hash: string }) => row.password_hash,
    );
    const keySecret = key.key.slice(key.key.lastIndexOf('_') + 1, -4);
    const cookie = session.Cookie.slice(session.Cookie.indexOf('=') + 1);
    const texts = [key.key, keySecret, firstToken, token, cookie, PASSWORD, t.user.password, ...hashes, 'canary'];
    const encoded = bytes.flatMap((value) => [value.toString('hex'), value.toString('base64')]);
    for (const secret of [...texts, ...encoded, domain.records[0].value]) expect(log).not.toContain(secret);
  });
});
