import type { AcceptedEmail, Template } from '@posthorn/contract';
import type { TestWorkspace } from '@posthorn/testing';
import { type Caller, callApi, withSession } from './call-api.js';
import { untilStatus } from './fill-workspace.js';
import type { Site } from './start-site.js';
import { xssPayloads } from './xss-payloads.js';

const GROUP_SIZE = 11;

/** The most dangerous characters that the API accepts before the @. */
export const XSS_ADDRESS = "'+alert`1`+'{{7*7}}&lt/script#%?=|~@example.com";

/** An email that contains some of the payloads. */
export type StoredEmail = { readonly id: string; readonly payloads: readonly string[] };
export type StoredPayloads = {
  readonly emails: readonly StoredEmail[];
  /** An email from a template; its variables contain all payloads. */
  readonly fromTemplateId: string;
  readonly templateIds: readonly string[];
};

/** Stores the payloads wherever a workspace accepts text. */
export async function storeXssPayloads(site: Site, tenant: TestWorkspace): Promise<StoredPayloads> {
  const owner = await withSession(site.url, tenant);
  await callApi(owner, 'PATCH', '/api/v1/workspace', { name: xssName() });
  await callApi(owner, 'POST', '/api/v1/members', { email: XSS_ADDRESS, role: 'member' });
  for (const name of xssPayloads) await callApi(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] });
  const groups = inGroups();
  const templateIds: string[] = [];
  for (const group of groups) templateIds.push(await addTemplate(owner, group));
  const emails: StoredEmail[] = [];
  for (const [index, group] of groups.entries()) emails.push(await sendEmail(site, owner, group, index));
  return { emails, templateIds, fromTemplateId: await sendFromTemplate(owner) };
}

async function sendFromTemplate(owner: Caller): Promise<string> {
  const texts = { subject: 'From a template', html_body: '<a href="{{text}}">{{text}}</a>', text_body: '{{text}}' };
  const { id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', { name: 'Variables', ...texts });
  const email = { to: ['jane@example.com'], template_id: id, template_vars: { text: xssPayloads.join(' ') } };
  return (await callApi<AcceptedEmail>(owner, 'POST', '/api/v1/emails', email)).id;
}

/** A payload that is short enough for the name of a workspace. */
export function xssName(): string {
  return xssPayloads[6] ?? '';
}

function inGroups(): string[][] {
  const count = Math.ceil(xssPayloads.length / GROUP_SIZE);
  return Array.from({ length: count }, (_, index) => xssPayloads.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE));
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

async function sendEmail(
  { replies }: Site,
  owner: Caller,
  group: readonly string[],
  index: number,
): Promise<StoredEmail> {
  const all = group.join(' ');
  const to = `refused-${index}@example.com`;
  replies.set(to, { code: 550, text: `5.7.1 ${all}` });
  const { id } = await callApi<AcceptedEmail>(owner, 'POST', '/api/v1/emails', {
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
