import type { AcceptedEmail, Domain, SendEmailRequest, Template } from '@posthorn/contract';
import type { Context } from '@posthorn/domain';
import type { DnsServer } from '@posthorn/testing';
import { type Caller, callApi } from '../call-api.js';
import { untilStatus } from '../fill-workspace.js';
import { publishRecords } from '../publish-records.js';
import { letters, samples, scheduled, shipped, templates } from './letters.js';

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 30;
const MINUTES_BETWEEN = 11;

type Place = {
  readonly ctx: Context;
  readonly workspaceId: string;
  readonly dns: DnsServer;
  readonly owner: Caller;
};

/** What the pictures show. */
export type Shop = { readonly emailId: string; readonly templateId: string; readonly domainId: string };

/** A shop that has been sending for a month. */
export async function fillShop(place: Place): Promise<Shop> {
  const { owner } = place;
  await addHistory(place);
  const domainId = await addDomains(place);
  for (const name of ['Shop, staging', 'Newsletter', 'Shop, production'])
    await callApi(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] });
  const templateId = await addTemplates(owner);
  const emailId = await sendLetters(place, templateId);
  return { emailId, templateId, domainId };
}

/** More on weekdays than at weekends, in waves. */
async function addHistory({ ctx, workspaceId }: Place): Promise<void> {
  const now = Date.now();
  const counters = new Map<string, number>();
  for (let age = HISTORY_DAYS; age > 0; age -= 1) {
    const day = new Date(now - age * DAY_MS);
    const date = day.toISOString().slice(0, 10);
    const isWeekend = [0, 6].includes(day.getUTCDay());
    const sends = Math.round((isWeekend ? 460 : 1_120) + 190 * Math.sin(age * 1.7) - 9 * age);
    counters.set(date, sends);
    counters.set(date.slice(0, 7), (counters.get(date.slice(0, 7)) ?? 0) + sends);
  }
  const rows = [...counters].map(([period, used]) => ({ workspace_id: workspaceId, period, used }));
  await ctx.db('usage').insert(rows);
}

/** @returns the id of the verified one */
async function addDomains({ dns, owner }: Place): Promise<string> {
  const { id, records } = await callApi<Domain>(owner, 'POST', '/api/v1/domains', { name: 'cornershop.example' });
  publishRecords(dns, records);
  await callApi(owner, 'POST', `/api/v1/domains/${id}/verify`);
  await callApi(owner, 'POST', '/api/v1/domains', { name: 'news.cornershop.example' });
  return id;
}

/** @returns the id of the one that is edited */
async function addTemplates(owner: Caller): Promise<string> {
  let id = '';
  for (const template of templates)
    ({ id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', { ...template, subject: 'Your order' }));
  for (const { subject } of templates.slice(-1)) await callApi(owner, 'PATCH', `/api/v1/templates/${id}`, { subject });
  return id;
}

/** @returns the id of the newest */
async function sendLetters(place: Place, templateId: string): Promise<string> {
  const { owner } = place;
  const later = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS).toISOString();
  await send(owner, { ...scheduled, scheduled_at: later });
  for (const letter of letters) {
    const id = await send(owner, letter);
    await untilStatus(owner, id, statusOf(letter));
  }
  await setBack(place);
  const id = await send(owner, { ...shipped, template_id: templateId, template_vars: samples });
  await untilStatus(owner, id, 'sent');
  return id;
}

async function send(owner: Caller, email: SendEmailRequest): Promise<string> {
  return (await callApi<AcceptedEmail>(owner, 'POST', '/api/v1/emails', email)).id;
}

function statusOf({ to: [address = ''] }: SendEmailRequest): string {
  if (address.includes('left-long-ago')) return 'bounced';
  return address.includes('full-mailbox') ? 'deferred' : 'sent';
}

/** As if they had been sent in the course of the last hours, the newest a while ago. */
async function setBack({ ctx, workspaceId }: Place): Promise<void> {
  const ids = await ctx.db('emails').where({ workspace_id: workspaceId }).orderBy('id', 'desc').pluck('id');
  for (const [index, id] of ids.entries()) {
    const created = new Date(Date.now() - (index + 1) * MINUTES_BETWEEN * 60_000);
    await ctx.db('emails').where({ id }).update({ created_at: created });
  }
}
