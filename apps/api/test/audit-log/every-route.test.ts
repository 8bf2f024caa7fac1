import type { AuditAction, OperationId } from '@posthorn/contract';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { routes } from '../../src/app.js';
import { publish } from '../domains/domain-client.js';
import { invite, join, PASSWORD, type Session, tokenFor } from '../members/member-client.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let session: Session;
let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
  t = await openTestApi({
    config: { dnsServers: [dns.address], trackingUrl: 'http://localhost:3001' },
    ownDatabase: 'it reads the newest entries of all workspaces',
  });
  session = await t.login();
});
afterAll(async () => {
  await t.close();
  await dns.close();
});

const send = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
  t.api[method](path)
    .set(session)
    .send(body)
    .ok((response) => response.status < 300);

const template = { name: 'Receipt', subject: 'Receipt', html_body: 'Hi', text_body: 'Hi' };
const newTemplate = async () => (await send('post', '/api/v1/templates', template)).body.id;
let count = 0;
const newName = () => {
  count += 1;
  return `d${count}.example`;
};
const newDomain = async () => (await send('post', '/api/v1/domains', { name: newName() })).body.id;
const newKey = async () => (await send('post', '/api/v1/api-keys', { name: 'K', scopes: ['emails:read'] })).body.id;
const webhook = { url: 'https://93.184.216.34/hook', events: ['email.sent'] };
const newWebhook = async () => (await send('post', '/api/v1/webhooks', webhook)).body.id;
const newSuppression = async () =>
  (await send('post', '/api/v1/suppressions', { address: `jane@${newName()}` })).body.id;
const newInvitation = async () => (await invite(t, session, `bob@${newName()}`)).id;

/** A change through a route: what must exist before, and the request. */
type Change = { readonly action: AuditAction; readonly make: () => Promise<() => PromiseLike<unknown>> };

const change = (action: AuditAction, make: Change['make']): Change => ({ action, make });

/** The routes that change what the audit log covers. */
const audited: Readonly<Partial<Record<OperationId, Change>>> = {
  createTemplate: change('template.created', async () => () => newTemplate()),
  updateTemplate: change('template.updated', async () => {
    const id = await newTemplate();
    return () => send('patch', `/api/v1/templates/${id}`, { subject: 'Other' });
  }),
  deleteTemplate: change('template.deleted', async () => {
    const id = await newTemplate();
    return () => send('delete', `/api/v1/templates/${id}`);
  }),
  duplicateTemplate: change('template.duplicated', async () => {
    const id = await newTemplate();
    return () => send('post', `/api/v1/templates/${id}/duplicate`);
  }),
  restoreTemplateVersion: change('template.restored', async () => {
    const id = await newTemplate();
    await send('patch', `/api/v1/templates/${id}`, { subject: 'Other' });
    return () => send('post', `/api/v1/templates/${id}/versions/1/restore`);
  }),
  createDomain: change('domain.created', async () => () => newDomain()),
  rotateDomainKey: change('domain.key_rotated', async () => {
    const id = await newDomain();
    return () => send('post', `/api/v1/domains/${id}/rotate-key`);
  }),
  verifyDomain: change('domain.verified', async () => {
    const { body } = await send('post', '/api/v1/domains', { name: newName() });
    publish(dns, body.records);
    return () => send('post', `/api/v1/domains/${body.id}/verify`);
  }),
  updateDomain: change('domain.updated', async () => {
    const id = await newDomain();
    return () => send('patch', `/api/v1/domains/${id}`, { track_opens: true });
  }),
  deleteDomain: change('domain.deleted', async () => {
    const id = await newDomain();
    return () => send('delete', `/api/v1/domains/${id}`);
  }),
  createWebhook: change('webhook.created', async () => () => newWebhook()),
  updateWebhook: change('webhook.updated', async () => {
    const id = await newWebhook();
    return () => send('patch', `/api/v1/webhooks/${id}`, { description: 'Other' });
  }),
  rotateWebhookSecret: change('webhook.secret_rotated', async () => {
    const id = await newWebhook();
    return () => send('post', `/api/v1/webhooks/${id}/rotate-secret`);
  }),
  deleteWebhook: change('webhook.deleted', async () => {
    const id = await newWebhook();
    return () => send('delete', `/api/v1/webhooks/${id}`);
  }),
  createSuppression: change('suppression.created', async () => () => newSuppression()),
  deleteSuppression: change('suppression.removed', async () => {
    const id = await newSuppression();
    return () => send('delete', `/api/v1/suppressions/${id}`);
  }),
  importSuppressions: change('suppression.imported', async () => () => {
    const request = t.api.post('/api/v1/suppressions/import').set(session).set('Content-Type', 'text/csv');
    return request.send(`address\njane@${newName()}\n`).expect(200);
  }),
  createApiKey: change('api_key.created', async () => () => newKey()),
  revokeApiKey: change('api_key.revoked', async () => {
    const id = await newKey();
    return () => send('delete', `/api/v1/api-keys/${id}`);
  }),
  updateWorkspace: change(
    'workspace.updated',
    async () => () => send('patch', '/api/v1/workspace', { name: newName() }),
  ),
  resumeWorkspace: change('workspace.resumed', async () => {
    const pause = { paused_at: new Date(), pause_reason: 'Too many emails bounced.', paused_by: 'system' };
    await t.ctx.db('workspaces').where({ id: t.workspace.id }).update(pause);
    return () => send('post', '/api/v1/workspace/resume', { reason: 'We removed old addresses' });
  }),
  eraseRecipient: change('recipient.erased', async () => () => send('delete', `/api/v1/recipients/jane@${newName()}`)),
  inviteMember: change('member.invited', async () => () => newInvitation()),
  changeRole: change('member.role_changed', async () => {
    const id = await newInvitation();
    return () => send('patch', `/api/v1/members/${id}`, { role: 'owner' });
  }),
  resendInvitation: change('member.invitation_resent', async () => {
    const id = await newInvitation();
    return () => send('post', `/api/v1/members/${id}/resend`);
  }),
  removeMember: change('member.removed', async () => {
    const { id } = await join(t, session, `eve@${newName()}`);
    return () => send('delete', `/api/v1/members/${id}`);
  }),
  acceptInvitation: change('member.joined', async () => {
    const { email } = await invite(t, session, `ann@${newName()}`);
    const token = await tokenFor(t, email);
    return () => t.api.post('/auth/accept-invitation').send({ token, password: PASSWORD }).expect(200);
  }),
  signUp: change('workspace.created', async () => {
    const account = { email: `ada@${newName()}`, password: PASSWORD };
    return () => t.api.post('/auth/signup').send(account).expect(201);
  }),
};

/** The routes that change none of that, and why. */
const others: Readonly<Partial<Record<OperationId, string>>> = {
  sendEmail: 'sends an email',
  sendBatch: 'sends emails',
  checkEmail: 'only checks an email',
  rescheduleEmail: 'changes an email, which has events of its own',
  cancelEmail: 'changes an email, which has events of its own',
  testWebhook: 'sends an event, and changes no setting',
  replayWebhook: 'sends events again, and changes no setting',
  previewTemplate: 'only renders a template',
  previewTexts: 'only renders a template',
  switchWorkspace: 'changes a session',
  readInvitation: 'only reads',
  postFeedback: 'reports the state of emails, which have events of their own',
  logIn: 'opens a session',
  logOut: 'ends a session',
  forgotPassword: 'emails a link',
  resetPassword: 'changes an account; record-changes.test.ts covers the access that it removes',
  verifyEmail: 'changes an account',
  rejectSignUp: 'deletes a workspace together with its audit log',
  resendVerification: 'emails a link',
  changePassword: 'changes an account',
  endSessions: 'ends sessions',
  unsubscribe: 'is done by a recipient, and has an event',
};

const mutating = routes.filter(({ method }) => method !== 'get').map(({ operationId }) => operationId);

test('says of every route that changes something whether the audit log covers it', () => {
  expect([...Object.keys(audited), ...Object.keys(others)].toSorted()).toEqual(mutating.toSorted());
});

test.each(Object.entries(audited))('%s writes exactly one entry', async (_operationId, { action, make }) => {
  const makeChange = await make();
  const newest = await t.ctx.db('audit_log').select('id').orderBy('id', 'desc').first();
  await makeChange();
  const written = await t.ctx.db('audit_log').select('action').where('id', '>', newest.id);
  expect(written).toEqual([{ action }]);
});
