import type { Priority, Tag } from '@posthorn/contract';
import { dedupeRecipients, type Recipients, type RequestedContent, type SendRequest } from '@posthorn/domain/accepting';
import type { Attachment } from '@posthorn/domain/attachments';
import { DEFAULT_PRIORITY, priorities } from '@posthorn/domain/emails';
import { invalid } from '@posthorn/domain/errors';
import type { Address } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { TemplateVars } from '@posthorn/domain/templates';
import Joi from 'joi';
import { templateVars } from '../templates/variables.js';
import { forbidden, withAliases, withExample, withReason, withWayOut } from '../validation/field-rules.js';
import { address, LINK_TO_IMAGES, limitedText, singleLine, timestamp } from '../validation/fields.js';
import { attachments } from './attachments.js';
import { customHeaders } from './custom-headers.js';
import { assertUnsubscribable, type Unsubscribe, unsubscribe } from './unsubscribe.js';

const ONE_ADDRESS = ['jane@example.com'];
const A_TIME = '2026-12-01T09:30:00Z';

const SEND_SEVERAL = 'Send several emails, for example with /api/v1/emails/batch';

const addresses = withWayOut(
  withExample(Joi.array().items(address).max(limits.addresses.max), ONE_ADDRESS),
  SEND_SEVERAL,
);

const isTemplateMode = { is: Joi.exist() };

/** A field of raw mode. The 422 response names each such field that was sent together with template_id. */
function rawOnly(schema: Joi.Schema, otherwise: Joi.Schema = schema): Joi.Schema {
  const then = forbidden('cannot be combined with template_id; send one or the other');
  return schema.when('template_id', { ...isTemplateMode, then, otherwise });
}

const tagText = Joi.string()
  .max(limits.tag.max)
  .pattern(/^[A-Za-z0-9_-]+$/, 'only letters, digits, _ and -');

const subject = singleLine(limits.subject.max);
const html = withWayOut(limitedText(limits.html.max), LINK_TO_IMAGES);

/** Raw content needs html or text. The schema checks this, so that it is reported together with all other faults. */
const htmlUnlessText = html.when('text', {
  is: Joi.exist(),
  otherwise: withReason(html.required(), 'or text is required, unless you send a template_id'),
});

/** The domain package checks that the id exists. */
const idInBody = Joi.string().max(limits.idInBody.max);

export type SendBody = {
  to: Address[];
  cc?: Address[] | undefined;
  bcc?: Address[] | undefined;
  reply_to?: Address[] | undefined;
  from_?: Address | undefined;
  domain_id?: string | undefined;
  subject?: string | undefined;
  html?: string | undefined;
  text?: string | undefined;
  template_id?: string | undefined;
  template_vars?: TemplateVars | undefined;
  headers?: Record<string, string> | undefined;
  attachments?: Attachment[] | undefined;
  tags?: Tag[] | undefined;
  scheduled_at?: string | undefined;
  priority?: Priority | undefined;
  expires_at?: string | undefined;
  unsubscribe?: Unsubscribe | undefined;
};

/** The body of POST /api/v1/emails. */
export const sendBody = Joi.object({
  to: withAliases(addresses.min(1).required(), 'recipient', 'recipients', 'to_'),
  cc: addresses,
  bcc: addresses,
  reply_to: withAliases(withExample(Joi.array().items(address).max(limits.replyTo.max), ONE_ADDRESS), 'replyto'),
  from_: withAliases(withExample(address, 'Acme <hello@acme.example>'), 'sender', 'from_email', 'from_address'),
  domain_id: idInBody.when('from_', {
    is: Joi.exist(),
    otherwise: forbidden('requires from_; add the sender address'),
  }),
  subject: rawOnly(subject, subject.required()),
  html: withAliases(
    rawOnly(html, htmlUnlessText),
    'html_body',
    'body_html',
    'html_content',
    'html_part',
    'body',
    'content',
  ),
  text: withAliases(
    rawOnly(withWayOut(limitedText(limits.text.max), 'Send the rest as an attachment')),
    'text_body',
    'body_text',
    'text_content',
    'text_part',
    'body',
    'content',
  ),
  template_id: withAliases(idInBody, 'template', 'template_alias', 'template_name'),
  template_vars: withAliases(
    withExample(
      templateVars.when('template_id', {
        ...isTemplateMode,
        otherwise: forbidden('requires template_id; raw content has no variables'),
      }),
      { name: 'Jane' },
    ),
    ...['variables', 'template_variables', 'template_model', 'template_data', 'dynamic_template_data', 'merge_vars'],
  ),
  headers: withExample(customHeaders, { 'X-Order-Id': '42' }),
  attachments: withAliases(withExample(attachments, [{ filename: 'hello.txt', content: 'SGVsbG8=' }]), 'files'),
  tags: withExample(
    Joi.array()
      .items(Joi.object({ name: withAliases(tagText.required(), 'key'), value: tagText.required() }))
      .max(limits.tags.max)
      .unique('name'),
    [{ name: 'campaign', value: 'welcome' }],
  ),
  scheduled_at: withAliases(withExample(timestamp, A_TIME), 'send_at', 'deliver_at', 'delivery_time', 'send_time'),
  priority: Joi.string().valid(...priorities),
  expires_at: withExample(timestamp, A_TIME),
  unsubscribe: withExample(unsubscribe, { topic: 'newsletter' }),
}).custom(toSendRequest);

/**
 * Lists every field, because objects that are built by spreading have no common shape, which makes them slow to read.
 */
export function toSendRequest(body: SendBody): SendRequest {
  const recipients = recipientsOf(body);
  const { to, cc, bcc, duplicates } = recipients;
  const content = contentOf(body);
  const headers = body.headers ?? {};
  if (body.unsubscribe) assertUnsubscribable({ recipients, content, headers });
  return {
    to,
    cc,
    bcc,
    duplicates,
    replyTo: body.reply_to ?? [],
    from: body.from_ ?? null,
    domainId: body.domain_id?.toLowerCase() ?? null,
    content,
    headers,
    attachments: body.attachments?.length ? body.attachments : undefined,
    tags: body.tags ?? [],
    scheduledAt: body.scheduled_at === undefined ? null : new Date(body.scheduled_at),
    priority: body.priority === DEFAULT_PRIORITY ? undefined : body.priority,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
    topic: body.unsubscribe?.topic,
  };
}

function contentOf({ template_id, template_vars = {}, subject = '', html, text }: SendBody): RequestedContent {
  if (template_id !== undefined)
    return { kind: 'template', templateId: template_id.toLowerCase(), vars: template_vars };
  return { kind: 'raw', subject, html: html ?? null, text: text ?? null };
}

function recipientsOf({ to, cc = [], bcc = [] }: SendBody): Recipients {
  const recipients = dedupeRecipients({ to, cc, bcc });
  const count = recipients.to.length + recipients.cc.length + recipients.bcc.length;
  if (count > limits.recipients.max) {
    const message = `has ${count} recipients, including cc and bcc; the limit is ${limits.recipients.max}. ${SEND_SEVERAL}`;
    throw invalid({ field: 'to', message });
  }
  return recipients;
}

/** PATCH /api/v1/emails/{id} */
export const rescheduleBody = Joi.object<{ scheduled_at: string }>({ scheduled_at: timestamp.required() });
