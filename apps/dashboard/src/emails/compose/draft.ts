import type { Email, Priority, SendAttachment, SendEmailRequest } from '@posthorn/contract';
import { fromLocalInput } from '../../ui/local-input';
import { readHeaders, readTags, writeHeaders, writeTags } from './extra-lines';
import { splitAddresses } from './split-addresses';

/** What the form holds. The names are those of the request, so that the API's errors appear next to their fields. */
export type Draft = {
  from_: string;
  to: string;
  cc: string;
  bcc: string;
  reply_to: string;
  /** Empty if the content is written in the form. */
  template_id: string;
  template_vars: Record<string, string>;
  subject: string;
  html: string;
  text: string;
  attachments: SendAttachment[];
  /** The value of a `datetime-local` input. Empty to send now. */
  scheduled_at: string;
  priority: Priority;
  /** Lines of the form `name:value`. */
  tags: string;
  /** Lines of the form `Name: value`. */
  headers: string;
  /** The value of a `datetime-local` input. Empty for an email that does not expire. */
  expires_at: string;
  /** The topic that the recipient can unsubscribe from. Empty for mail that one cannot unsubscribe from. */
  unsubscribe: string;
};

export const emptyDraft: Draft = {
  from_: '',
  to: '',
  cc: '',
  bcc: '',
  reply_to: '',
  template_id: '',
  template_vars: {},
  subject: '',
  html: '',
  text: '',
  attachments: [],
  scheduled_at: '',
  priority: 'normal',
  tags: '',
  headers: '',
  expires_at: '',
  unsubscribe: '',
};

/** A draft with the content of an email that was sent before, and with its files. */
export function draftFrom(email: Email, attachments: SendAttachment[]): Draft {
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
      ? { ...given('subject', subject), ...given('html', html), ...given('text', text) }
      : { template_id: templateId, template_vars: pick(draft.template_vars, names) };
  return {
    to: splitAddresses(draft.to),
    ...given('cc', splitAddresses(draft.cc)),
    ...given('bcc', splitAddresses(draft.bcc)),
    ...given('reply_to', splitAddresses(draft.reply_to)),
    ...given('from_', draft.from_.trim()),
    ...content,
    ...given('attachments', draft.attachments),
    ...given('scheduled_at', draft.scheduled_at === '' ? '' : fromLocalInput(draft.scheduled_at)),
    ...given('tags', readTags(draft.tags)),
    ...(draft.headers.trim() !== '' && { headers: readHeaders(draft.headers) }),
    ...given('expires_at', draft.expires_at === '' ? '' : fromLocalInput(draft.expires_at)),
    ...(draft.priority !== 'normal' && { priority: draft.priority }),
    ...(topic !== '' && { unsubscribe: { topic } }),
  };
}

function given<Name extends keyof SendEmailRequest>(
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
