import type { Template, Webhook } from '@posthorn/contract';
import type { TestWorkspace } from '@posthorn/testing';
import { type Caller, callApi, sendEmail, withSession } from './call-api.js';
import { untilStatus } from './fill-workspace.js';
import type { Stack } from './start-stack.js';
import { xssPayloads } from './xss-payloads.js';

const GROUP_SIZE = 11;
/** So few that they fit into the description of a webhook. */
const WEBHOOK_GROUP_SIZE = 4;

/** The most dangerous characters that the API accepts before the @. */
export const XSS_ADDRESS = "'+alert`1`+'{{7*7}}&lt/script#%?=|~@example.com";

/** An email that contains some of the payloads. */
export type StoredEmail = { readonly id: string; readonly payloads: readonly string[] };
export type StoredPayloads = {
  readonly emails: readonly StoredEmail[];
  /** An email from a template; its variables contain all payloads. */
  readonly fromTemplateId: string;
  readonly templateIds: readonly string[];
  /** Webhooks whose settings contain these texts. */
  readonly webhooks: ReadonlyArray<{ readonly id: string; readonly texts: readonly string[] }>;
  /** A webhook that gets the events of the emails. */
  readonly sentWebhookId: string;
};

/** Stores the payloads wherever a workspace accepts text. @param receiverUrl gets the events of the emails */
export async function storeXssPayloads(
  stack: Stack,
  tenant: TestWorkspace,
  receiverUrl: string,
): Promise<StoredPayloads> {
  const owner = await withSession(stack.url, tenant);
  const sentWebhookId = await createWebhook(owner, { url: receiverUrl });
  await callApi(owner, 'PATCH', '/api/v1/workspace', { name: xssName() });
  for (const name of xssPayloads) await callApi(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] });
  const groups = inGroups(GROUP_SIZE);
  const templateIds: string[] = [];
  for (const group of groups) templateIds.push(await addTemplate(owner, group));
  const emails: StoredEmail[] = [];
  for (const [index, group] of groups.entries()) emails.push(await storeEmail(stack, owner, group, index));
  const webhooks = await addWebhooks(owner, receiverUrl);
  const fromTemplateId = await sendFromTemplate(owner);
  // Late enough to be on the first page of the audit log
  await callApi(owner, 'POST', '/api/v1/members', { email: XSS_ADDRESS, role: 'member' });
  // Last, because the emails before are sent to this address.
  await callApi(owner, 'POST', '/api/v1/suppressions', { address: XSS_ADDRESS });
  return { emails, templateIds, fromTemplateId, webhooks, sentWebhookId };
}

async function createWebhook(owner: Caller, settings: object): Promise<string> {
  const body = { events: ['email.bounced'], ...settings };
  return (await callApi<Webhook>(owner, 'POST', '/api/v1/webhooks', body)).id;
}

/** Adds webhooks whose URL, description and tags contain the payloads. A URL has no spaces and no #, and a tag has one colon. */
async function addWebhooks(owner: Caller, receiverUrl: string): Promise<StoredPayloads['webhooks']> {
  const webhooks: Array<StoredPayloads['webhooks'][number]> = [];
  for (const group of inGroups(WEBHOOK_GROUP_SIZE)) {
    // The API stores URLs in their normalized form.
    const url = new URL(`${receiverUrl}?q=${group[0]?.replace(/[ #]/g, '+')}`).href;
    const description = group.join(' ');
    const tags = group.filter((payload) => !payload.includes(':')).map((payload) => `x:${payload}`);
    const id = await createWebhook(owner, { url, description, ...(tags.length > 0 && { tags }) });
    webhooks.push({ id, texts: [url, description, ...tags] });
  }
  return webhooks;
}

async function sendFromTemplate(owner: Caller): Promise<string> {
  const texts = { subject: 'From a template', html_body: '<a href="{{text}}">{{text}}</a>', text_body: '{{text}}' };
  const { id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', { name: 'Variables', ...texts });
  const email = { to: ['jane@example.com'], template_id: id, template_vars: { text: xssPayloads.join(' ') } };
  return sendEmail(owner, email);
}

/** A payload that is short enough for the name of a workspace. */
export function xssName(): string {
  return xssPayloads[6] ?? '';
}

function inGroups(size: number): string[][] {
  const count = Math.ceil(xssPayloads.length / size);
  return Array.from({ length: count }, (_, index) => xssPayloads.slice(index * size, (index + 1) * size));
}

/** Adds a template with two versions to compare, without payloads that the API would parse as template tags. */
async function addTemplate(owner: Caller, group: readonly string[]): Promise<string> {
  const all = group.filter((payload) => !payload.includes('{{')).join('\n');
  const texts = { subject: all.replaceAll('\n', ' '), html_body: all, text_body: all };
  const name = group.reduce((longest, payload) => (payload.length > longest.length ? payload : longest), '');
  const { id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', { name, ...texts, html_body: 'Before' });
  await callApi(owner, 'PATCH', `/api/v1/templates/${id}`, texts);
  return id;
}

async function storeEmail(
  { replies }: Stack,
  owner: Caller,
  group: readonly string[],
  index: number,
): Promise<StoredEmail> {
  const all = group.join(' ');
  const to = `refused-${index}@example.com`;
  replies.set(to, { code: 550, text: `5.7.1 ${all}` });
  const id = await sendEmail(owner, {
    to: [`"{{7*7}} \${alert} javascript:alert();" <${to}>`, XSS_ADDRESS],
    reply_to: [`"javascript:alert() '\`" <reply@example.com>`],
    subject: all,
    html: group.map((payload) => `<div>${payload}</div>`).join('\n'),
    text: group.join('\n'),
    headers: Object.fromEntries(group.map((payload, at) => [`X-Note-${at}`, ascii(payload)])),
  });
  await untilStatus(owner, id, 'sent');
  return { id, payloads: group };
}

/** Header values must be ASCII. */
function ascii(payload: string): string {
  return payload.replace(/[^ -~]/g, '<');
}
