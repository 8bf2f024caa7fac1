import type { AuditEntry } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { markDomainVerified } from '@posthorn/domain/domains';
import { setPlan, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { requestLink } from '../accounts/reset-links.js';
import { addKey, PASSWORD as SIGN_UP_PASSWORD, signUp } from '../accounts/sign-up-client.js';
import { invite, join, loginAs, PASSWORD, type Session, tokenFor } from '../members/member-client.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { listEntries, newestEntry } from './audit-log-client.js';

const OWNER_IP = '203.0.113.7';
const KEY_IP = '2001:db8::7';

const template = { name: 'Receipt', subject: 'Your receipt', html_body: '<p>{{sum}}</p>', text_body: '{{sum}}' };

describe('the audit log', () => {
  let t: TestApi;
  let session: Session;
  let ownerId: string;
  beforeEach(async () => {
    t = await openTestApi({ config: { trustedProxyHops: 1 }, ownDatabase: 'it adds a constraint to a table' });
    session = await t.login();
    ownerId = (await t.api.get('/auth/session').set(session)).body.user.id;
  });
  afterEach(() => t.close());

  const owner = () => ({ type: 'user', id: ownerId, label: t.user.email });
  const asOwner = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
    t.api[method](path)
      .set({ ...session, 'X-Forwarded-For': `198.51.100.1, ${OWNER_IP}` })
      .send(body);
  const newest = () => newestEntry(t, session);
  const byOwner = (entry: Pick<AuditEntry, 'action' | 'target' | 'changes'>) => ({
    object: 'audit_entry',
    id: expect.any(String),
    actor: owner(),
    ip: OWNER_IP,
    created_at: expect.stringMatching(/Z$/),
    ...entry,
  });

  test('shows who created and revoked an API key', async () => {
    const fields = { name: 'Web shop', scopes: ['emails:send', 'emails:read'], expires_at: '2099-01-01T00:00:00Z' };
    const { body: key } = await asOwner('post', '/api/v1/api-keys', fields).expect(201);
    const target = { type: 'api_key' as const, id: key.id, label: 'Web shop' };
    const created = {
      name: { from: null, to: 'Web shop' },
      mode: { from: null, to: 'live' },
      hint: { from: null, to: key.hint },
      scopes: { from: null, to: ['emails:send', 'emails:read'] },
      expires_at: { from: null, to: '2099-01-01T00:00:00.000Z' },
    };
    expect(await newest()).toEqual(byOwner({ action: 'api_key.created', target, changes: created }));

    await asOwner('delete', `/api/v1/api-keys/${key.id}`).expect(200);
    const changes = { revoked_at: { from: null, to: expect.stringMatching(/Z$/) } };
    const revoked = byOwner({ action: 'api_key.revoked', target, changes });
    expect(await newest()).toEqual(revoked);

    await asOwner('delete', `/api/v1/api-keys/${key.id}`).expect(200);
    expect((await listEntries(t, session, `?target=${key.id}`)).data).toHaveLength(2);
  });

  test('shows changes of a domain by a key, and by the operator', async () => {
    const headers = { ...t.auth, 'X-Forwarded-For': KEY_IP };
    const { body: domain } = await t.api
      .post('/api/v1/domains')
      .set(headers)
      .send({ name: 'Mail.Example' })
      .expect(201);
    const target = { type: 'domain', id: domain.id, label: 'mail.example' };
    const byKey = { actor: { type: 'api_key', id: t.keyId, label: 'Test key' }, ip: KEY_IP, target };
    expect(await newest()).toMatchObject({
      ...byKey,
      action: 'domain.created',
      changes: { name: { from: null, to: 'mail.example' }, status: { from: null, to: 'pending' } },
    });

    await t.api.post(`/api/v1/domains/${domain.id}/rotate-key`).set(headers).expect(200);
    const [pending] = await t.ctx.db('domain_keys').where({ domain_id: domain.id, state: 'pending' });
    const changes = { pending_selector: { from: null, to: pending.selector } };
    expect(await newest()).toMatchObject({ ...byKey, action: 'domain.key_rotated', changes });

    await markDomainVerified(t.ctx, domain.id);
    await markDomainVerified(t.ctx, domain.id);
    expect(await newest()).toMatchObject({
      actor: { type: 'operator', id: null, label: null },
      ip: null,
      action: 'domain.verified_by_operator',
      target,
      changes: { status: { from: 'pending', to: 'verified' } },
    });

    await t.api.delete(`/api/v1/domains/${domain.id}`).set(headers).expect(200);
    expect(await newest()).toMatchObject({
      ...byKey,
      action: 'domain.deleted',
      changes: { name: { from: 'mail.example', to: null }, status: { from: 'verified', to: null } },
    });
    expect((await listEntries(t, session, `?target=${domain.id}`)).data).toHaveLength(4);
  });

  test('shows the sizes of the bodies of a template, not the bodies', async () => {
    const path = '/api/v1/templates';
    const { body: created } = await asOwner('post', path, template).expect(201);
    const target = { type: 'template', id: created.id, label: 'Receipt' };
    expect(await newest()).toMatchObject({
      ...byOwner({ action: 'template.created', target, changes: {} } as AuditEntry),
      changes: {
        name: { from: null, to: 'Receipt' },
        subject: { from: null, to: 'Your receipt' },
        html_body: { from: null, to: '14 characters' },
        text_body: { from: null, to: '7 characters' },
        version: { from: null, to: 1 },
      },
    });

    // The text keeps its length, but it has changed.
    const change = { subject: 'Receipt', text_body: '{{SUM}}', variables: [{ name: 'sum', default: '0' }] };
    await asOwner('patch', `${path}/${created.id}`, change).expect(200);
    expect(await newest()).toEqual(
      byOwner({
        action: 'template.updated',
        target: { ...target, type: 'template' },
        changes: {
          subject: { from: 'Your receipt', to: 'Receipt' },
          text_body: { from: '7 characters', to: '7 characters' },
          variables: { from: '0 declared variables', to: '1 declared variable' },
          version: { from: 1, to: 2 },
        },
      }),
    );

    await asOwner('post', `${path}/${created.id}/versions/1/restore`).expect(200);
    const restored = { restored_version: { from: null, to: 1 }, version: { from: 2, to: 3 } };
    expect(await newest()).toMatchObject({ action: 'template.restored', target, changes: restored });

    const { body: copy } = await asOwner('post', `${path}/${created.id}/duplicate`).expect(201);
    expect(await newest()).toMatchObject({
      action: 'template.duplicated',
      target: { type: 'template', id: copy.id, label: 'Receipt (copy)' },
      changes: { duplicate_of: { from: null, to: created.id }, version: { from: null, to: 1 } },
    });

    await asOwner('delete', `${path}/${created.id}`).expect(200);
    const deleted = { name: { from: 'Receipt', to: null }, version: { from: 3, to: null } };
    expect(await newest()).toEqual(
      byOwner({ action: 'template.deleted', target: { ...target, type: 'template' }, changes: deleted }),
    );
    await asOwner('delete', `${path}/${created.id}`).expect(404);
    expect((await listEntries(t, session, `?target=${created.id}`)).data).toHaveLength(4);
  });

  test('shows invitations, and who joined, changed roles and left', async () => {
    const bob = 'bob@example.com';
    const { body: invited } = await asOwner('post', '/api/v1/members', { email: bob, role: 'member' }).expect(201);
    const invitation = { type: 'invitation' as const, id: invited.id, label: bob };
    const expiry = { from: null, to: invited.expires_at };
    const facts = { email: { from: null, to: bob }, role: { from: null, to: 'member' }, expires_at: expiry };
    expect(await newest()).toEqual(byOwner({ action: 'member.invited', target: invitation, changes: facts }));

    await asOwner('post', `/api/v1/members/${invited.id}/resend`).expect(200);
    const resent = { link: { from: 'earlier link', to: 'new link' } };
    expect(await newest()).toMatchObject({ action: 'member.invitation_resent', target: invitation, changes: resent });

    await asOwner('patch', `/api/v1/members/${invited.id}`, { role: 'owner' }).expect(200);
    const promoted = { role: { from: 'member', to: 'owner' } };
    expect(await newest()).toEqual(byOwner({ action: 'member.role_changed', target: invitation, changes: promoted }));

    const accepted = await t.api
      .post('/auth/accept-invitation')
      .set('X-Forwarded-For', '192.0.2.44')
      .send({ token: await tokenFor(t, bob), password: PASSWORD })
      .expect(200);
    const { id: bobId } = accepted.body.user;
    const member = { type: 'member', id: bobId, label: bob };
    expect(await newest()).toMatchObject({
      actor: { type: 'user', id: bobId, label: bob },
      ip: '192.0.2.44',
      action: 'member.joined',
      target: member,
      changes: { email: { from: null, to: bob }, role: { from: null, to: 'owner' } },
    });

    await asOwner('patch', `/api/v1/members/${bobId}`, { role: 'member' }).expect(200);
    const demoted = { role: { from: 'owner', to: 'member' } };
    expect(await newest()).toMatchObject({ action: 'member.role_changed', target: member, changes: demoted });

    await asOwner('delete', `/api/v1/members/${bobId}`).expect(200);
    const removed = { email: { from: bob, to: null }, role: { from: 'member', to: null } };
    expect(await newest()).toMatchObject({ action: 'member.removed', target: member, changes: removed });

    const eve = await invite(t, session, 'eve@example.com');
    await asOwner('delete', `/api/v1/members/${eve.id}`).expect(200);
    expect(await newest()).toMatchObject({
      actor: owner(),
      action: 'member.invitation_removed',
      target: { type: 'invitation', id: eve.id, label: 'eve@example.com' },
      changes: { email: { from: 'eve@example.com', to: null } },
    });
  });

  test('stays readable after the account of an actor is deleted', async () => {
    const bob = await join(t, session, 'bob@example.com', 'owner');
    const { body } = await t.api.post('/api/v1/templates').set(bob.session).send(template).expect(201);
    await t.ctx.db('users').where({ id: bob.id }).delete();
    await t.ctx.db('template_versions').where({ template_id: body.id }).delete();
    await t.ctx.db('templates').where({ id: body.id }).delete();
    expect((await listEntries(t, session, `?actor=${bob.id}&target=${body.id}`)).data).toMatchObject([
      { actor: { id: bob.id, label: 'bob@example.com' }, target: { id: body.id, label: 'Receipt' } },
    ]);
  });

  test('says that the service removed an invitation that could not be mailed', async () => {
    await t.ctx.db.raw('alter table emails add constraint no_mail check (false) not valid');
    await asOwner('post', '/api/v1/members', { email: 'bob@example.com', role: 'member' }).expect(500);
    expect((await listEntries(t, session, '?limit=2')).data).toMatchObject([
      { action: 'member.invitation_removed', actor: { type: 'system', id: null, label: null }, ip: null },
      { action: 'member.invited', actor: owner(), ip: OWNER_IP },
    ]);
  });

  test('shows changes of the workspace by its owner and by the operator', async () => {
    const target = { type: 'workspace' as const, id: t.workspace.id, label: 'Corner shop' };
    const settings = { name: 'Corner shop', email_retention_days: 30 };
    await asOwner('patch', '/api/v1/workspace', settings).expect(200);
    const changes = { name: { from: 'Test', to: 'Corner shop' }, email_retention_days: { from: null, to: 30 } };
    expect(await newest()).toEqual(byOwner({ action: 'workspace.updated', target, changes }));

    const byOperator = { actor: { type: 'operator', id: null, label: null }, ip: null, target };
    await setPlan(t.ctx, operator, t.workspace.id, 'pro');
    const plan = { from: 'free', to: 'pro' };
    expect(await newest()).toMatchObject({ ...byOperator, action: 'workspace.plan_changed', changes: { plan } });

    await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 500, daily: null });
    await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 'default', rate: 5 });
    expect((await listEntries(t, session, '?limit=2')).data).toMatchObject([
      {
        ...byOperator,
        action: 'workspace.limits_changed',
        changes: { monthly: { from: 500, to: 'default' }, rate_per_minute: { from: 'default', to: 5 } },
      },
      { changes: { monthly: { from: 'default', to: 500 }, daily: { from: 'default', to: 'none' } } },
    ]);
  });

  test('begins with the creation of the workspace', async () => {
    const creation = { action: 'workspace.created', actor: { type: 'operator' }, ip: null };
    expect((await listEntries(t, session)).data.at(-1)).toMatchObject(creation);

    const response = await t.api
      .post('/auth/signup')
      .set('X-Forwarded-For', OWNER_IP)
      .send({ email: 'ada@example.com', password: SIGN_UP_PASSWORD, workspace_name: 'Engines' })
      .expect(201);
    const { user, workspace } = response.body;
    const ada = await loginAs(t, { email: 'ada@example.com', password: SIGN_UP_PASSWORD });
    expect((await listEntries(t, ada)).data).toMatchObject([
      {
        actor: { type: 'user', id: user.id, label: 'ada@example.com' },
        ip: OWNER_IP,
        action: 'workspace.created',
        target: { type: 'workspace', id: workspace.id, label: 'Engines' },
        changes: { name: { to: 'Engines' }, slug: { to: workspace.slug }, plan: { to: 'free' } },
      },
    ]);
  });

  test('begins with the new workspace after the first password reset of an account that someone else created', async () => {
    const { session: stranger, userId } = await signUp(t, 'victim@example.com');
    await addKey(t, stranger);
    const { token } = await requestLink(t, 'victim@example.com');
    await t.api.post('/auth/reset').set('X-Forwarded-For', OWNER_IP).send({ token, password: PASSWORD }).expect(200);
    const victim = await loginAs(t, { email: 'victim@example.com', password: PASSWORD });
    expect(await newestEntry(t, victim)).toMatchObject({
      actor: { type: 'user', id: userId, label: 'victim@example.com' },
      ip: OWNER_IP,
      action: 'workspace.created',
      target: { type: 'workspace', label: 'victim' },
    });
  });

  test('has the changes of a test key in the live workspace', async () => {
    const fields = { name: 'Sandbox', scopes: ['templates:write'], mode: 'test' };
    const { body: key } = await asOwner('post', '/api/v1/api-keys', fields).expect(201);
    await t.api.post('/api/v1/templates').set('Authorization', `Bearer ${key.key}`).send(template).expect(201);
    expect(await newest()).toMatchObject({
      action: 'template.created',
      actor: { type: 'api_key', id: key.id, label: 'Sandbox' },
    });
  });

  test('has no IP address if a proxy reported something else', async () => {
    const headers = { ...session, 'X-Forwarded-For': 'unknown' };
    await t.api.post('/api/v1/templates').set(headers).send(template).expect(201);
    expect(await newest()).toMatchObject({ action: 'template.created', ip: null });
  });
});
