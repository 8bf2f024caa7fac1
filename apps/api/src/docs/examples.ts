import type { AcceptedEmail, OperationId, Operations } from '@posthorn/contract';
import {
  accountSession,
  apiKey,
  auditEntry,
  invitation,
  member,
  session,
  usage,
  workspace,
} from './example-accounts.js';
import { deliverabilityExamples } from './example-deliverability.js';
import { erasureExamples } from './example-erasures.js';
import { serviceExamples } from './example-service.js';
import { suppressionExamples } from './example-suppressions.js';
import {
  attempt,
  checkedEmail,
  domain,
  email,
  emailEvent,
  emailStats,
  event,
  ID,
  LATER,
  listOf,
  NOW,
  report,
  summary,
  TOKEN,
  template,
  texts,
  version,
  versionSummary,
} from './example-values.js';
import { webhookExamples } from './example-webhooks.js';

type Examples = {
  readonly [Id in OperationId]: {
    readonly request: Operations[Id]['request'];
    readonly response: Operations[Id]['response'];
  };
};

const acceptedEmail: AcceptedEmail = {
  object: 'email',
  id: ID,
  mode: 'live',
  status: 'queued',
  from_: 'acme@mail.example.com',
  to: ['jane@example.com'],
  subject: 'Welcome',
  created_at: NOW,
  scheduled_at: null,
  warnings: [],
};

const sendRequest = { to: ['jane@example.com'], subject: 'Welcome', text: 'Hello Jane' };
const message = (detail: string) => ({ object: 'message', detail }) as const;
const deleted = <Name extends string>(object: Name) => ({ object, id: ID, deleted: true }) as const;
const password = 'correct horse battery staple';

/** One request and one response for each operation. */
export const examples: Examples = {
  sendEmail: { request: sendRequest, response: acceptedEmail },
  sendBatch: { request: [sendRequest], response: { object: 'list', data: [acceptedEmail] } },
  checkEmail: { request: sendRequest, response: checkedEmail },
  listEmails: { request: null, response: listOf(summary) },
  getEmailStats: { request: null, response: emailStats },
  getEmail: { request: null, response: email },
  getMessage: { request: null, response: 'From: acme@mail.example.com\r\n...' },
  rescheduleEmail: {
    request: { scheduled_at: LATER },
    response: { ...email, status: 'scheduled', scheduled_at: LATER },
  },
  cancelEmail: { request: null, response: { ...email, status: 'canceled' } },
  listAttempts: { request: null, response: listOf(attempt) },
  listReports: { request: null, response: listOf(report) },
  listEmailEvents: { request: null, response: listOf(emailEvent) },

  listEvents: {
    request: null,
    response: { ...listOf(event), next_cursor: '8412_0198c5d2-9a11-7c02-8d44-3b6e0f5a7c21' },
  },

  ...webhookExamples,
  ...suppressionExamples,

  createTemplate: { request: { name: 'Welcome', ...texts }, response: template },
  listTemplates: { request: null, response: listOf(template) },
  getTemplate: { request: null, response: template },
  updateTemplate: { request: { subject: 'Hello {{name}}' }, response: { ...template, subject: 'Hello {{name}}' } },
  deleteTemplate: { request: null, response: deleted('template') },
  duplicateTemplate: { request: { name: 'Welcome back' }, response: { ...template, name: 'Welcome back' } },
  previewTemplate: {
    request: { template_vars: { name: 'Jane' } },
    response: { subject: 'Welcome Jane', html: '<p>Hello Jane</p>', text: 'Hello Jane', missing: [] },
  },
  previewTexts: {
    request: texts,
    response: {
      subject: 'Welcome ',
      html: '<p>Hello </p>',
      text: 'Hello ',
      missing: ['name'],
      variables: ['name'],
    },
  },
  listTemplateVersions: { request: null, response: listOf(versionSummary) },
  getTemplateVersion: { request: null, response: version },
  restoreTemplateVersion: { request: null, response: { ...template, version: 3 } },

  createDomain: { request: { name: 'mail.example.org' }, response: domain },
  listDomains: { request: null, response: listOf(domain) },
  getDomain: { request: null, response: domain },
  updateDomain: { request: { track_clicks: true }, response: { ...domain, track_clicks: true } },
  verifyDomain: { request: null, response: domain },
  rotateDomainKey: { request: null, response: domain },
  deleteDomain: { request: null, response: deleted('domain') },

  createApiKey: {
    request: { name: 'Web shop', scopes: ['emails:send'], networks: ['192.0.2.0/24'] },
    response: { ...apiKey, key: 'ph_...' },
  },
  listApiKeys: { request: null, response: listOf(apiKey) },
  revokeApiKey: { request: null, response: { object: 'api_key', id: ID, revoked: true } },

  getWorkspace: { request: null, response: workspace },
  updateWorkspace: { request: { name: 'Acme' }, response: workspace },
  listWorkspaces: { request: null, response: listOf({ ...workspace, role: 'owner', current: true }) },
  switchWorkspace: { request: { workspace_id: ID }, response: session },

  listAuditEntries: { request: null, response: listOf(auditEntry) },

  ...deliverabilityExamples,
  ...erasureExamples,
  exportWorkspace: { request: null, response: '' },

  inviteMember: { request: { email: 'joe@example.com', role: 'member' }, response: member },
  listMembers: { request: null, response: listOf(member) },
  changeRole: { request: { role: 'member' }, response: member },
  resendInvitation: { request: null, response: member },
  removeMember: { request: null, response: deleted('member') },
  readInvitation: { request: { token: TOKEN }, response: invitation },
  acceptInvitation: { request: { token: TOKEN, password }, response: session },

  signUp: { request: { email: 'jane@example.com', password, workspace_name: 'Acme' }, response: session },
  logIn: { request: { email: 'jane@example.com', password }, response: session },
  logOut: { request: null, response: null },
  getSession: { request: null, response: session },
  forgotPassword: {
    request: { email: 'jane@example.com' },
    response: message('If an account uses this address, an email with a reset link is on its way.'),
  },
  resetPassword: {
    request: { token: TOKEN, password },
    response: { ...message('Your password has been changed.'), removed: null },
  },
  verifyEmail: { request: { token: TOKEN }, response: message('Your email address is confirmed.') },
  rejectSignUp: {
    request: { token: TOKEN },
    response: message('The account and its workspace have been deleted.'),
  },
  resendVerification: { request: null, response: message('An email with a new link is on its way.') },
  changePassword: {
    request: { current_password: password, new_password: `${password} 2` },
    response: message('Your password has been changed, and all your other sessions have been logged out.'),
  },
  listSessions: { request: null, response: listOf(accountSession) },
  endSessions: { request: null, response: null },

  getUsage: { request: null, response: usage },

  ...serviceExamples,
  getDashboardPage: { request: null, response: '' },
  getDocs: { request: null, response: '' },
  getDocsArticle: { request: null, response: '' },
  getDocsPage: { request: null, response: '' },
  getDocsSearch: {
    request: null,
    response: [{ title: 'Idempotency', url: '/docs#idempotency', kind: 'Guide', text: 'Idempotency-Key' }],
  },
  getDocsScript: { request: null, response: '' },
  getDocsStyle: { request: null, response: '' },
  getOpenApi: { request: null, response: { openapi: '3.1.1' } },
};
