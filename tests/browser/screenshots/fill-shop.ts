import type { AcceptedEmail, Domain, SendEmailRequest, Template } from '@posthorn/contract';
import type { Context } from '@posthorn/domain';
import type { DnsServer } from '@posthorn/testing';
import { type Caller, callApi } from '../call-api.js';
import { untilStatus } from '../fill-workspace.js';
import { publishRecords } from '../publish-records.js';
import { until } from '../until.js';
import { letters, samples, scheduled, shipped, templates } from './letters.js';

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 30;
const MINUTES_BETWEEN = 11;
const AT_ONCE = 50;

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
  await sendHistory(place);
  const domainId = await addDomains(place);
  for (const name of ['Shop, staging', 'Newsletter', 'Shop, production'])
    await callApi(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] });
  const templateId = await addTemplates(owner);
  const emailId = await sendLetters(place, templateId);
  await countAnew(place);
  return { emailId, templateId, domainId };
}

/** Mail of the last month, more on weekdays than at weekends, in waves. */
async function sendHistory({ ctx, owner, workspaceId }: Place): Promise<void> {
  const days = Array.from(
    { length: HISTORY_DAYS },
    (_, index) => new Date(Date.now() - (HISTORY_DAYS - index) * DAY_MS),
  );
  const times = days.flatMap((day, index) => Array.from({ length: sendsOf(day, index) }, () => day));
  for (let done = 0; done < times.length; done += AT_ONCE)
    await Promise.all(times.slice(done, done + AT_ONCE).map((_, index) => send(owner, routine(done + index))));
  await until('the history', async () => {
    const waiting = await ctx
      .db('emails')
      .where({ workspace_id: workspaceId })
      .whereIn('status', ['queued', 'sending']);
    return waiting.length === 0;
  });
  const ids = await ctx.db('emails').where({ workspace_id: workspaceId }).orderBy('id').pluck('id');
  for (const [index, id] of ids.entries()) await ctx.db('emails').where({ id }).update({ created_at: times[index] });
}

function sendsOf(day: Date, index: number): number {
  const usual = [0, 6].includes(day.getUTCDay()) ? 16 : 46;
  return Math.round(usual + 7 * Math.sin(index * 1.7) + index / 3);
}

/** One in a hundred and fifty goes to somebody who has left. */
function routine(index: number): SendEmailRequest {
  const host = index % 150 === 149 ? 'left-long-ago.example' : 'example.com';
  return { to: [`customer-${index}@${host}`], subject: `Your order ${index}`, text: 'It is on its way.' };
}

/** What was sent counts on the day that it seems to have been sent on. */
async function countAnew({ ctx, workspaceId }: Place): Promise<void> {
  const created: Date[] = await ctx.db('emails').where({ workspace_id: workspaceId }).pluck('created_at');
  const counters = new Map<string, number>();
  for (const date of created.map((time) => time.toISOString()))
    for (const period of [date.slice(0, 7), date.slice(0, 10)]) counters.set(period, (counters.get(period) ?? 0) + 1);
  await ctx.db('usage').where({ workspace_id: workspaceId }).del();
  await ctx.db('usage').insert([...counters].map(([period, used]) => ({ workspace_id: workspaceId, period, used })));
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

/** As if they had been sent in the progress of the last hours, the newest a while ago. */
async function setBack({ ctx, workspaceId }: Place): Promise<void> {
  const newest = ctx
    .db('emails')
    .where({ workspace_id: workspaceId })
    .orderBy('id', 'desc')
    .limit(letters.length + 1);
  const ids = await newest.pluck('id');
  for (const [index, id] of ids.entries()) {
    const created = new Date(Date.now() - (index + 1) * MINUTES_BETWEEN * 60_000);
    await ctx.db('emails').where({ id }).update({ created_at: created });
  }
}
