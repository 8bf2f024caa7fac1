import { DEFAULT_PRIORITY, type Email, type SendAttachment, type SendEmailRequest, type Tag } from '@posthorn/contract';
import { readLocalInput } from '../../ui/format';

/** What the form holds. The names are those of the request, so that the API's errors appear next to their fields. */
export const emptyDraft = {
  from_: '',
  to: '',
  cc: '',
  bcc: '',
  reply_to: '',
  /** Empty if the content is written in the form. */
  template_id: '',
  template_vars: {} as Record<string, string>,
  subject: '',
  html: '',
  text: '',
  attachments: [] as SendAttachment[],
  /** The value of a `datetime-local` input. Empty to send now. */
  scheduled_at: '',
  priority: DEFAULT_PRIORITY,
  /** Lines of the form `name:value`. */
  tags: '',
  /** Lines of the form `Name: value`. */
  headers: '',
  /** The value of a `datetime-local` input. Empty for an email that does not expire. */
  expires_at: '',
  /** The topic that the recipient can unsubscribe from. Empty for mail that one cannot unsubscribe from. */
  unsubscribe: '',
};

export type Draft = typeof emptyDraft;

export function toDraft(email: Email, attachments: SendAttachment[]): Draft {
  return {
    ...emptyDraft,
    // Without a domain, the email came from the platform sender, which from_ cannot name.
    from_: email.domain_id === null ? '' : email.from_,
    to: email.to.join('\n'),
    cc: email.cc.join('\n'),
    bcc: email.bcc.join('\n'),
    reply_to: email.reply_to.join('\n'),
    template_id: email.template_id ?? '',
    template_vars: toTexts(email.template_vars ?? {}),
    subject: email.subject ?? '',
    html: email.html ?? '',
    text: email.text ?? '',
    attachments,
    priority: email.priority,
    tags: writeTags(email.tags),
    headers: writeHeaders(email.headers),
    unsubscribe: email.unsubscribe?.topic ?? '',
  };
}

/** Without the fields that the user left empty. @param variables the names of the template's variables */
export function toSendRequest(draft: Draft, variables: readonly string[]): SendEmailRequest {
  const { template_id: templateId, subject, html, text } = draft;
  const topic = draft.unsubscribe.trim();
  // The service fills in the link.
  const names = topic === '' ? variables : variables.filter((name) => name !== 'unsubscribe_url');
  const content: Partial<SendEmailRequest> =
    templateId === ''
      ? { ...pickGiven('subject', subject), ...pickGiven('html', html), ...pickGiven('text', text) }
      : { template_id: templateId, template_vars: pick(draft.template_vars, names) };
  return {
    to: splitAddresses(draft.to),
    ...pickGiven('cc', splitAddresses(draft.cc)),
    ...pickGiven('bcc', splitAddresses(draft.bcc)),
    ...pickGiven('reply_to', splitAddresses(draft.reply_to)),
    ...pickGiven('from_', draft.from_.trim()),
    ...content,
    ...pickGiven('attachments', draft.attachments),
    ...pickGiven('scheduled_at', draft.scheduled_at === '' ? '' : readLocalInput(draft.scheduled_at)),
    ...pickGiven('tags', parseTags(draft.tags)),
    ...(draft.headers.trim() !== '' && { headers: readHeaders(draft.headers) }),
    ...pickGiven('expires_at', draft.expires_at === '' ? '' : readLocalInput(draft.expires_at)),
    ...(draft.priority !== DEFAULT_PRIORITY && { priority: draft.priority }),
    ...(topic !== '' && { unsubscribe: { topic } }),
  };
}

function pickGiven<Name extends keyof SendEmailRequest>(
  name: Name,
  value: SendEmailRequest[Name] & { readonly length: number },
): Partial<SendEmailRequest> {
  return value.length === 0 ? {} : { [name]: value };
}

/** Leaves out variables that were never filled in; the API uses the default or reports them. */
function pick(values: Draft['template_vars'], names: readonly string[]): Draft['template_vars'] {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

function toTexts(variables: Readonly<Record<string, unknown>>): Draft['template_vars'] {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}

type Line = { readonly name: string; readonly value: string };

/** Reads lines of the form `name:value`. A line without a colon has an empty value. */
function readLines(text: string): Line[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.includes(':') ? line.indexOf(':') : line.length;
      return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
    });
}

/** @returns what is wrong with the lines, which the request could not express; the API checks the rest */
export function checkLines(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const unclear = lines.find((line) => !line.includes(':'));
  if (unclear !== undefined) return `Put a colon between the name and the value of “${unclear.trim()}”.`;
  const names = readLines(text).map(({ name }) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? null : `Only one line can have the name “${repeated}”.`;
}

function parseTags(text: string): Tag[] {
  return readLines(text);
}

function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(readLines(text).map(({ name, value }) => [name, value]));
}

function writeTags(tags: readonly Tag[]): string {
  return tags.map(({ name, value }) => `${name}:${value}`).join('\n');
}

function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/**
 * Splits what the user typed at line breaks, semicolons and commas. A comma before the `@` or between quotes is part of
 * a name, as in `Doe, Jane <jane@example.com>`.
 */
export function splitAddresses(text: string): string[] {
  return text
    .split(/[\n;]/)
    .flatMap(splitAtCommas)
    .map((address) => address.trim())
    .filter((address) => address !== '');
}

function splitAtCommas(line: string): string[] {
  const addresses: string[] = [];
  let address = '';
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    const isEnd = character === ',' && !isQuoted && (address.includes('@') || address.trim() === '');
    if (isEnd) addresses.push(address);
    address = isEnd ? '' : address + character;
  }
  return [...addresses, address];
}
