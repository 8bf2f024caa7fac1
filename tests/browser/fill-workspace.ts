import { randomBytes } from 'node:crypto';
import type { Domain, DomainRecord, Email, Member, SendEmailRequest, Template, Webhook } from '@posthorn/contract';
import { type DnsServer, type SmtpSink, type TestWorkspace, until } from '@posthorn/testing';
import { type Caller, callApi, sendEmail, withSession } from './call-api.js';
import { mailedLink } from './mailed-link.js';
import type { Stack } from './start-stack.js';

const HOUR_MS = 3_600_000;

/** The ids of one resource of each kind. */
export type FilledWorkspace = {
  readonly emailId: string;
  readonly bouncedId: string;
  readonly scheduledId: string;
  readonly templateId: string;
  readonly domainId: string;
  /** Its receiver cannot be reached. */
  readonly webhookId: string;
};

/** Gives a tenant emails in several states, a template with two versions, domains, webhooks, suppressions, keys and members. */
export async function fillWorkspace(stack: Stack, tenant: TestWorkspace): Promise<FilledWorkspace> {
  const owner = await withSession(stack.url, tenant);
  const templateId = await addTemplate(owner);
  const domainId = await addDomains(stack, owner, tenant.slug);
  const webhookId = await addWebhooks(owner, domainId);
  await callApi(owner, 'POST', '/api/v1/suppressions', { address: `old-address-of-${tenant.slug}@example.com` });
  await callApi(owner, 'POST', '/api/v1/api-keys', { name: 'Shop in production', scopes: ['emails:send'] });
  await callApi(owner, 'DELETE', `/api/v1/api-keys/${await addKey(owner, 'The old shop')}`);
  await callApi(owner, 'POST', '/api/v1/members', { email: `guest-of-${tenant.slug}@example.com`, role: 'member' });
  return { templateId, domainId, webhookId, ...(await sendEmails(stack, owner, templateId)) };
}

async function addTemplate(owner: Caller): Promise<string> {
  const { id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', {
    name: 'Receipt',
    subject: 'Your order {{order}}',
    html_body: '<h1>Thank you, {{name}}</h1>\n<p>Your order {{order}} is on its way.</p>\n',
    text_body: 'Thank you, {{name}}.\nYour order {{order}} is on its way.\n',
  });
  await callApi(owner, 'PATCH', `/api/v1/templates/${id}`, {
    text_body: 'Thank you, {{name}}!\nYour order {{order}} is on its way.\nIt comes on {{day}}.\n',
  });
  return id;
}

/** @returns the id of the verified domain */
async function addDomains({ dns }: Stack, owner: Caller, slug: string): Promise<string> {
  await callApi(owner, 'POST', '/api/v1/domains', { name: `pending-${slug}.test` });
  const domain = await callApi<Domain>(owner, 'POST', '/api/v1/domains', { name: `mail-${slug}.test` });
  publishRecords(dns, domain.records);
  await callApi(owner, 'POST', `/api/v1/domains/${domain.id}/verify`);
  return domain.id;
}

/** @returns the id of the enabled one */
async function addWebhooks(owner: Caller, domainId: string): Promise<string> {
  const create = async (fields: object) => (await callApi<Webhook>(owner, 'POST', '/api/v1/webhooks', fields)).id;
  const url = 'http://127.0.0.1:9/orders';
  const filters = { domain_ids: [domainId], tags: ['kind:receipt'], description: 'Only receipts' };
  const id = await create({ url, events: ['email.bounced'], ...filters });
  await callApi(owner, 'PATCH', `/api/v1/webhooks/${id}`, { status: 'disabled' });
  return create({ url, events: ['email.accepted', 'email.sent', 'email.bounced'] });
}

async function addKey(owner: Caller, name: string): Promise<string> {
  return (await callApi<{ id: string }>(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] })).id;
}

async function sendEmails({ replies }: Stack, owner: Caller, templateId: string) {
  replies.set('nobody@example.com', { code: 550, text: '5.1.1 No such mailbox' });
  replies.set('full@example.com', { code: 452, text: '4.2.2 The mailbox is full' });
  const send = (email: SendEmailRequest) => sendEmail(owner, email);
  const content = { subject: 'Your code', html: '<p>It is <b>123456</b>.</p>', text: 'It is 123456.' };
  const vars = { template_id: templateId, template_vars: { name: 'Jane', order: '1001', day: 'Monday' } };
  const emailId = await send({
    to: ['Jane Doe <jane@example.com>'],
    ...vars,
    tags: [{ name: 'kind', value: 'receipt' }],
  });
  const bouncedId = await send({ to: ['nobody@example.com'], ...content });
  const deferredId = await send({ to: ['full@example.com', 'jane@example.com'], ...content });
  const scheduledId = await send({ to: ['joe@example.com'], ...content, scheduled_at: inAnHour() });
  await callApi(
    owner,
    'POST',
    `/api/v1/emails/${await send({ to: ['joe@example.com'], ...content, scheduled_at: inAnHour() })}/cancel`,
  );
  const states = { [emailId]: 'sent', [bouncedId]: 'bounced', [deferredId]: 'deferred' };
  for (const [id, status] of Object.entries(states)) await untilStatus(owner, id, status);
  return { emailId, bouncedId, scheduledId };
}

export function untilStatus(caller: Caller, id: string, status: string): Promise<Email> {
  return until(`email ${id} is ${status}`, async () => {
    const email = await callApi<Email>(caller, 'GET', `/api/v1/emails/${id}`);
    return email.status === status && email;
  });
}

function inAnHour(): string {
  return new Date(Date.now() + HOUR_MS).toISOString();
}

/** Adds records to DNS, as a user would after copying them from the dashboard. */
export function publishRecords(dns: DnsServer, records: readonly DomainRecord[]): void {
  for (const { type, name, value, priority = 0 } of records) {
    if (type === 'MX') dns.mx(name, { priority, host: value });
    else dns.txt(name, value);
  }
}

/** Invites a person who is not an owner, and accepts the invitation. @returns how the person logs in */
export async function addMember(owner: Caller, sink: SmtpSink): Promise<{ email: string; password: string }> {
  const [email, password] = [`bob-${randomBytes(6).toString('hex')}@example.com`, 'staple of batteries'];
  await callApi<Member>(owner, 'POST', '/api/v1/members', { email, role: 'member' });
  const token = new URL(await mailedLink(sink, email)).searchParams.get('token');
  await callApi({ url: owner.url, headers: {} }, 'POST', '/auth/accept-invitation', { token, password });
  return { email, password };
}
