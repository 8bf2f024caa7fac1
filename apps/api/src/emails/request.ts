import { DEFAULT_PRIORITY, priorities, type SendEmailRequest } from '@posthorn/contract';
import { dedupeRecipients, type Recipients, type RequestedContent, type SendRequest } from '@posthorn/domain/accepting';
import type { Attachment } from '@posthorn/domain/attachments';
import { invalid } from '@posthorn/domain/errors';
import { type Address, parseAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { hasControlCharacters } from '@posthorn/platform/values';
import Joi from 'joi';
import { isTemplateVars, templateVars } from '../templates/variables.js';
import { allowNull, forbid, withAliases, withExample, withReason, withWayOut } from '../validation/field-rules.js';
import { address, buildLine, buildText, fitsInBytes, LINK_TO_IMAGES, timestamp } from '../validation/field-schemas.js';
import { assertUnsubscribable, attachments, customHeaders, isUnsubscribe, unsubscribe } from './request-fields.js';

const ONE_ADDRESS = ['jane@example.com'];
const A_TIME = '2026-12-01T09:30:00Z';

const SEND_SEVERAL = 'Send several emails, for example with /api/v1/emails/batch';

const addresses = withWayOut(
  withExample(Joi.array().items(address).max(limits.addresses.max), ONE_ADDRESS),
  SEND_SEVERAL,
);

const isTemplateMode = { is: Joi.exist() };

/** A field of raw mode. The 422 response names each such field that was sent together with template_id. */
function forbidWithTemplate(schema: Joi.Schema, otherwise: Joi.Schema = schema): Joi.Schema {
  const then = forbid('cannot be combined with template_id; send one or the other');
  return schema.when('template_id', { ...isTemplateMode, then, otherwise });
}

const tagText = Joi.string()
  .max(limits.tag.max)
  .pattern(/^[A-Za-z0-9_-]+$/, 'only letters, digits, _ and -');

const subject = buildLine(limits.subject.max);
const html = withWayOut(buildText(limits.html.max), LINK_TO_IMAGES);

/** Raw content needs html or text. The schema checks this, so that it is reported together with all other faults. */
const htmlUnlessText = html.when('text', {
  is: Joi.exist(),
  otherwise: withReason(html.required(), 'or text is required, unless you send a template_id'),
});

/** The domain package checks that the id exists. */
const idInBody = Joi.string().max(limits.idInBody.max);

/** What joi makes of the fields whose text it parses. */
type ParsedFields = {
  to: Address[];
  cc: Address[];
  bcc: Address[];
  reply_to: Address[];
  from_: Address;
  attachments: Attachment[];
};

type SendBody = Pick<ParsedFields, 'to'> & {
  [Name in Exclude<keyof SendEmailRequest, 'to'>]?:
    | (Name extends keyof ParsedFields ? ParsedFields[Name] : SendEmailRequest[Name])
    | undefined;
};

export const sendBody = Joi.object({
  to: withAliases(addresses.min(1).required(), 'recipient', 'recipients', 'to_'),
  ...allowNull({
    cc: addresses,
    bcc: addresses,
    reply_to: withAliases(withExample(Joi.array().items(address).max(limits.replyTo.max), ONE_ADDRESS), 'replyto'),
    from_: withAliases(withExample(address, 'Acme <hello@acme.example>'), 'sender', 'from_email', 'from_address'),
    domain_id: idInBody.when('from_', {
      is: Joi.exist(),
      otherwise: forbid('requires from_; add the sender address'),
    }),
    subject: forbidWithTemplate(subject, subject.required()),
    html: withAliases(
      forbidWithTemplate(html, htmlUnlessText),
      'html_body',
      'body_html',
      'html_content',
      'html_part',
      'body',
      'content',
    ),
    text: withAliases(
      forbidWithTemplate(withWayOut(buildText(limits.text.max), 'Send the rest as an attachment')),
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
          otherwise: forbid('requires template_id; raw content has no variables'),
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
  }),
}).custom(toSendRequest);

/**
 * Lists every field, because objects that are built by spreading have no common shape, which makes them slow to read.
 */
function toSendRequest(body: SendBody): SendRequest {
  const recipients = toRecipients(body);
  const { to, cc, bcc, duplicates } = recipients;
  const content = toContent(body);
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

function toContent({ template_id, template_vars = {}, subject = '', html, text }: SendBody): RequestedContent {
  if (template_id !== undefined)
    return { kind: 'template', templateId: template_id.toLowerCase(), vars: template_vars };
  return { kind: 'raw', subject, html: html ?? null, text: text ?? null };
}

function toRecipients({ to, cc = [], bcc = [] }: SendBody): Recipients {
  const recipients = dedupeRecipients({ to, cc, bcc });
  const count = recipients.to.length + recipients.cc.length + recipients.bcc.length;
  if (count > limits.recipients.max) {
    const message = `has ${count} recipients, including cc and bcc; the limit is ${limits.recipients.max}. ${SEND_SEVERAL}`;
    throw invalid({ field: 'to', message });
  }
  return recipients;
}

export const rescheduleBody = Joi.object<{ scheduled_at: string }>({ scheduled_at: timestamp.required() });

type SimpleBody = Pick<
  SendEmailRequest,
  'to' | 'from_' | 'subject' | 'html' | 'text' | 'template_id' | 'template_vars' | 'priority' | 'unsubscribe'
>;

/**
 * Reads the most common bodies without joi, because joi takes longer than everything else that the API does for a
 * request. These bodies have recipients only in `to`, and either raw content or a template. This never refuses a body:
 * `sendBody` knows all the rules and decides on every body that is not clearly valid.
 * @param body the parsed JSON
 * @returns the same value as `sendBody`, or null if `sendBody` has to decide
 */
export function parseSimpleSend(body: unknown): SendRequest | null {
  if (!isSimple(body)) return null;
  try {
    return toSendRequest({
      to: body.to.map(parseAddress),
      from_: body.from_ === undefined ? undefined : parseAddress(body.from_),
      subject: body.subject,
      html: body.html,
      text: body.text,
      template_id: body.template_id,
      template_vars: body.template_vars,
      priority: body.priority,
      unsubscribe: body.unsubscribe,
    });
  } catch {
    return null;
  }
}

const fields = new Map<string, (value: unknown) => boolean>([
  [
    'to',
    (value) => Array.isArray(value) && value.length > 0 && value.length <= limits.addresses.max && value.every(isText),
  ],
  ['from_', isText],
  ['subject', (value) => isText(value) && value.length <= limits.subject.max && !hasControlCharacters(value)],
  ['html', (value) => isText(value) && fitsInBytes(value, limits.html.max)],
  ['text', (value) => isText(value) && fitsInBytes(value, limits.text.max)],
  ['template_id', (value) => isText(value) && value.length <= limits.idInBody.max],
  ['template_vars', isTemplateVars],
  ['priority', (value) => priorities.some((priority) => priority === value)],
  ['unsubscribe', isUnsubscribe],
]);

function isSimple(body: unknown): body is SimpleBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  for (const [name, value] of Object.entries(body)) if (!fields.get(name)?.(value)) return false;
  const has = (name: keyof SimpleBody) => Object.hasOwn(body, name);
  if (!has('to')) return false;
  if (has('template_id')) return !has('subject') && !has('html') && !has('text');
  return has('subject') && (has('html') || has('text')) && !has('template_vars');
}

/** Like joi by default, this does not accept an empty string. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
