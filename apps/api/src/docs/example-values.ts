import {
  type Attempt,
  type Domain,
  type Email,
  type EmailCheck,
  type EmailEvent,
  type EmailStats,
  type EmailSummary,
  type Event,
  emailStatuses,
  type List,
  type Report,
  type Template,
  type TemplateVersion,
  type TemplateVersionSummary,
} from '@posthorn/contract';

export const ID = '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370';
export const ADDRESS = 'jane@example.com';
export const NOW = '2026-11-20T09:30:00.000Z';
export const LATER = '2026-11-21T09:30:00.000Z';
export const TOKEN = 'token-from-the-link';

export function listOf<Item>(item: Item): List<Item> {
  return { object: 'list', data: [item], has_more: false, next_cursor: null };
}

export const summary: EmailSummary = {
  object: 'email',
  id: ID,
  mode: 'live',
  status: 'sent',
  from_: 'acme@mail.example.com',
  to: ['jane@example.com'],
  subject: 'Welcome',
  template_id: null,
  tags: [{ name: 'campaign', value: 'welcome' }],
  created_at: NOW,
  scheduled_at: null,
};

export const attempt: Attempt = {
  attempt: 1,
  route: 'smtp.example.net:587',
  phase: 'reply',
  outcome: 'sent',
  conversation: ['C: MAIL FROM:<acme@mail.example.com>', 'S: 250 OK'],
  started_at: NOW,
  ended_at: NOW,
};

export const report: Report = {
  object: 'report',
  id: ID,
  kind: 'dsn',
  result: 'applied',
  size: 28,
  text: 'Subject: Delivery failed\r\n...',
  truncated: false,
  received_at: NOW,
};

export const emailEvent: EmailEvent = {
  id: ID,
  sequence: 2,
  type: 'sent',
  created_at: NOW,
  recipient: 'jane@example.com',
  detail: null,
};

export const event: Event = {
  object: 'event',
  id: '0198c5d2-9a11-7c02-8d44-3b6e0f5a7c21',
  type: 'email.sent',
  created_at: NOW,
  sequence: 2,
  data: { email_id: ID, recipient: 'jane@example.com', status: 'sent', reason: 'OK', mode: 'live' },
};

export const email: Email = {
  ...summary,
  cc: [],
  bcc: [],
  reply_to: [],
  headers: {},
  priority: 'normal',
  expires_at: null,
  unsubscribe: null,
  domain_id: null,
  template_version: null,
  next_attempt_at: null,
  parked: false,
  message_id: `${ID}@mail.example.com`,
  content_removed: false,
  erased_at: null,
  html: null,
  text: 'Hello Jane',
  template_vars: null,
  attachments: [],
  recipients: [
    {
      address: 'jane@example.com',
      kind: 'to',
      status: 'sent',
      smtp_code: 250,
      smtp_response: 'OK',
      bounce_class: null,
    },
  ],
  attempts: [attempt],
  attempts_next_cursor: null,
  events: [emailEvent],
  events_next_cursor: null,
};

export const emailStats: EmailStats = {
  object: 'email_stats',
  since: NOW,
  emails: 1,
  truncated: false,
  statuses: Object.fromEntries(
    emailStatuses.map((status) => [status, status === 'sent' ? 1 : 0]),
  ) as EmailStats['statuses'],
  delivery_rate: 1,
  bounce_rate: 0,
};

export const checkedEmail: EmailCheck = {
  object: 'email_check',
  would_send: true,
  from_: 'acme@mail.example.com',
  sender_reason: 'no_sender_requested',
  subject: 'Welcome',
  html: null,
  text: 'Hello Jane',
  recipients: [{ address: 'jane@example.com', status: 'ok', reason: null }],
  missing_variables: [],
  size_bytes: 612,
  sends: 1,
  remaining: { daily: 99, monthly: 2999 },
  authentication: { dkim: 'unknown', spf: 'unknown', dmarc: 'unknown' },
  warnings: [],
};

/** The subject and the bodies of a template. */
export const texts = { subject: 'Welcome {{name}}', html_body: '<p>Hello {{name}}</p>', text_body: 'Hello {{name}}' };

export const template: Template = {
  object: 'template',
  id: ID,
  name: 'Welcome',
  ...texts,
  variables: [{ name: 'name', default: null, sample: 'Jane' }],
  version: 1,
  created_at: NOW,
  updated_at: NOW,
};

export const versionSummary: TemplateVersionSummary = {
  object: 'template_version',
  template_id: ID,
  version: 1,
  subject: texts.subject,
  variables: [{ name: 'name', default: null, sample: 'Jane' }],
  created_at: NOW,
};

export const version: TemplateVersion = {
  ...versionSummary,
  html_body: texts.html_body,
  text_body: texts.text_body,
};

export const domain: Domain = {
  object: 'domain',
  id: ID,
  name: 'mail.example.org',
  status: 'pending',
  records: [
    {
      record: 'return_path_mx',
      type: 'MX',
      name: 'bounces.mail.example.org',
      value: 'mx.mail.example.com',
      ttl: 3600,
      priority: 10,
      status: 'pending',
      required: true,
      found: [],
      message: null,
    },
  ],
  track_opens: false,
  track_clicks: false,
  tracking_available: true,
  created_at: NOW,
  verified_at: null,
  checked_at: null,
};
