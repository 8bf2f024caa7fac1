import type { AcceptedEmail, Template } from '@posthorn/contract';
import type { TestWorkspace } from '@posthorn/testing';
import { type Caller, callApi, withSession } from './call-api.js';
import { untilStatus } from './fill-workspace.js';
import { payloads } from './payloads.js';
import type { Site } from './start-site.js';

const GROUP = 11;

/** What the API takes before the @ is narrow; this is the worst of it. */
export const NASTY_ADDRESS = "'+alert`1`+'{{7*7}}&lt/script#%?=|~@example.com";

/** An email with some of the payloads, and where it is shown. */
export type StoredEmail = { readonly id: string; readonly payloads: readonly string[] };
export type Stored = {
  readonly emails: readonly StoredEmail[];
  /** An email whose variables hold all of them. */
  readonly filledInId: string;
  readonly templateIds: readonly string[];
};

/** Puts the payloads wherever a workspace takes text. */
export async function storePayloads(site: Site, tenant: TestWorkspace): Promise<Stored> {
  const owner = await withSession(site.url, tenant);
  await callApi(owner, 'PATCH', '/api/v1/workspace', { name: nastyName() });
  await callApi(owner, 'POST', '/api/v1/members', { email: NASTY_ADDRESS, role: 'member' });
  for (const name of payloads) await callApi(owner, 'POST', '/api/v1/api-keys', { name, scopes: ['emails:send'] });
  const groups = inGroups();
  const templateIds: string[] = [];
  for (const group of groups) templateIds.push(await addTemplate(owner, group));
  const emails: StoredEmail[] = [];
  for (const [index, group] of groups.entries()) emails.push(await sendEmail(site, owner, group, index));
  return { emails, templateIds, filledInId: await fillIn(owner) };
}

async function fillIn(owner: Caller): Promise<string> {
  const texts = { subject: 'Filled in', html_body: '<a href="{{text}}">{{text}}</a>', text_body: '{{text}}' };
  const { id } = await callApi<Template>(owner, 'POST', '/api/v1/templates', { name: 'Variables', ...texts });
  const email = { to: ['jane@example.com'], template_id: id, template_vars: { text: payloads.join(' ') } };
  return (await callApi<AcceptedEmail>(owner, 'POST', '/api/v1/emails', email)).id;
}

/** The name of a workspace is short. */
export function nastyName(): string {
  return payloads[6] ?? '';
}

function inGroups(): string[][] {
  const count = Math.ceil(payloads.length / GROUP);
  return Array.from({ length: count }, (_, index) => payloads.slice(index * GROUP, (index + 1) * GROUP));
}

/** Two versions, so that there is something to compare. Whatever the API takes for a tag is left out. */
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
    to: [`"{{7*7}} \${alert} javascript:alert();" <${to}>`, NASTY_ADDRESS],
    reply_to: [`"javascript:alert() '\`" <reply@example.com>`],
    subject: all,
    html: group.map((payload) => `<div>${payload}</div>`).join('\n'),
    text: group.join('\n'),
    headers: Object.fromEntries(group.map((payload, at) => [`X-Note-${at}`, ascii(payload)])),
  });
  await untilStatus(owner, id, 'sent');
  return { id, payloads: group };
}

/** A header's value is no other text. */
function ascii(payload: string): string {
  return payload.replace(/[^ -~]/g, '<');
}
