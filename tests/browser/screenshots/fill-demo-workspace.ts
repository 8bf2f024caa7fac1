import type { CreatedApiKey, Domain, SendEmailRequest, Template } from '@posthorn/contract';
import type { Context } from '@posthorn/platform';
import { type DnsServer, until } from '@posthorn/testing';
import type { ReceiverServer } from '../../../apps/worker/test/webhooks/open-receiver-server.js';
import { type Caller, callApi, sendEmail, withKey } from '../call-api.js';
import { publishRecords, untilStatus } from '../fill-workspace.js';
import { demoEmails, demoTemplates, scheduledEmail, shippedEmail, templateVars, testEmail } from './demo-emails.js';
import { addDemoWebhook, finishDemoWebhook } from './demo-webhook.js';

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 30;
const MINUTES_APART = 11;
const BATCH = 50;

type DemoSetup = {
  readonly ctx: Context;
  readonly workspaceId: string;
  readonly dns: DnsServer;
  readonly owner: Caller;
  readonly receiver: ReceiverServer;
};

/** The ids that the screenshots show. */
export type DemoWorkspace = {
  readonly emailId: string;
  readonly testEmailId: string;
  readonly templateId: string;
  readonly domainId: string;
  readonly webhookId: string;
};

/** Fills the workspace of a shop that has been sending for a month. */
export async function fillDemoWorkspace(setup: DemoSetup): Promise<DemoWorkspace> {
  const { ctx, owner, receiver } = setup;
  await sendHistory(setup);
  const domainId = await addDomains(setup);
  for (const name of ['Shop, staging', 'Newsletter', 'Shop, production'])
    await callApi(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] });
  const templateId = await addTemplates(owner);
  const webhookId = await addDemoWebhook(owner, receiver);
  const emailId = await sendDemoEmails(setup, templateId);
  await finishDemoWebhook(ctx, webhookId, receiver);
  await recountUsage(setup);
  const testEmailId = await sendTestEmail(owner);
  return { emailId, testEmailId, templateId, domainId, webhookId };
}

/** Sends a month of emails in a wave pattern, with more on weekdays than on weekends. */
async function sendHistory({ ctx, owner, workspaceId }: DemoSetup): Promise<void> {
  const days = Array.from(
    { length: HISTORY_DAYS },
    (_, index) => new Date(Date.now() - (HISTORY_DAYS - index) * DAY_MS),
  );
  const times = days.flatMap((day, index) => Array.from({ length: emailsOn(day, index) }, () => day));
  for (let done = 0; done < times.length; done += BATCH)
    await Promise.all(times.slice(done, done + BATCH).map((_, index) => send(owner, orderEmail(done + index))));
  await until('the history has been sent', async () => {
    const waiting = await ctx
      .db('emails')
      .where({ workspace_id: workspaceId })
      .whereIn('status', ['queued', 'sending']);
    return waiting.length === 0;
  });
  const ids = await ctx.db('emails').where({ workspace_id: workspaceId }).orderBy('id').pluck('id');
  for (const [index, id] of ids.entries()) await ctx.db('emails').where({ id }).update({ created_at: times[index] });
}

function emailsOn(day: Date, index: number): number {
  const average = [0, 6].includes(day.getUTCDay()) ? 16 : 46;
  return Math.round(average + 7 * Math.sin(index * 1.7) + index / 3);
}

/** One in 150 goes to an address that no longer exists. */
function orderEmail(index: number): SendEmailRequest {
  const host = index % 150 === 149 ? 'left-long-ago.example' : 'example.com';
  return { to: [`customer-${index}@${host}`], subject: `Your order ${index}`, text: 'It is on its way.' };
}

/** Sets the usage as if every email had been counted on the day of its `created_at`. */
async function recountUsage({ ctx, workspaceId }: DemoSetup): Promise<void> {
  const created: Date[] = await ctx.db('emails').where({ workspace_id: workspaceId }).pluck('created_at');
  const counters = new Map<string, number>();
  for (const date of created.map((time) => time.toISOString()))
    for (const period of [date.slice(0, 7), date.slice(0, 10)]) counters.set(period, (counters.get(period) ?? 0) + 1);
  await ctx.db('usage').where({ workspace_id: workspaceId }).del();
  await ctx.db('usage').insert([...counters].map(([period, used]) => ({ workspace_id: workspaceId, period, used })));
}

/** @returns the id of the verified domain */
async function addDomains({ dns, owner }: DemoSetup): Promise<string> {
  const { id, records } = await callApi<Domain>(owner, 'POST', '/api/v1/domains', { name: 'cornershop.example' });
  publishRecords(dns, records);
  await callApi(owner, 'POST', `/api/v1/domains/${id}/verify`);
  await callApi(owner, 'POST', '/api/v1/domains', { name: 'news.cornershop.example' });
  return id;
}

/** @returns the id of the template that the screenshot shows */
async function addTemplates(owner: Caller): Promise<string> {
  let id = '';
  for (const template of demoTemplates)
    ({ id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', { ...template, subject: 'Your order' }));
  for (const { subject } of demoTemplates.slice(-1))
    await callApi(owner, 'PATCH', `/api/v1/templates/${id}`, { subject });
  return id;
}

/** @returns the id of the newest email */
async function sendDemoEmails(setup: DemoSetup, templateId: string): Promise<string> {
  const { owner } = setup;
  const later = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS).toISOString();
  await send(owner, { ...scheduledEmail, scheduled_at: later });
  for (const email of demoEmails) {
    const id = await send(owner, email);
    await untilStatus(owner, id, getStatus(email));
  }
  await backdate(setup);
  const id = await send(owner, { ...shippedEmail, template_id: templateId, template_vars: templateVars });
  await untilStatus(owner, id, 'sent');
  return id;
}

/** @returns the id of an email that only exists in test mode */
async function sendTestEmail(owner: Caller): Promise<string> {
  const settings = { name: 'CI', scopes: ['emails:send'], mode: 'test' };
  const { key } = await callApi<CreatedApiKey>(owner, 'POST', '/api/v1/api-keys', settings);
  const id = await send(withKey(owner.url, key), testEmail);
  await untilStatus(owner, id, 'sent');
  return id;
}

async function send(owner: Caller, email: SendEmailRequest): Promise<string> {
  return sendEmail(owner, email);
}

function getStatus({ to: [address = ''] }: SendEmailRequest): string {
  if (address.includes('left-long-ago')) return 'bounced';
  return address.includes('full-mailbox') ? 'deferred' : 'sent';
}

/** Backdates the newest emails, spreading them over the past few hours. The newest one is a few minutes old. */
async function backdate({ ctx, workspaceId }: DemoSetup): Promise<void> {
  const newest = ctx
    .db('emails')
    .where({ workspace_id: workspaceId })
    .orderBy('id', 'desc')
    .limit(demoEmails.length + 1);
  const ids = await newest.pluck('id');
  for (const [index, id] of ids.entries()) {
    const created = new Date(Date.now() - (index + 1) * MINUTES_APART * 60_000);
    await ctx.db('emails').where({ id }).update({ created_at: created });
  }
}
