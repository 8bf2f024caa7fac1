import type { Unsubscribe } from '@posthorn/contract';
import type { Recipients, RequestedContent } from '@posthorn/domain/accepting';
import {
  type Attachment,
  type AttachmentContent,
  decodeBase64,
  findContentIdFault,
  findContentTypeFault,
  findFilenameFault,
  isMessageType,
  toAttachmentContent,
  toMediaType,
  toMessageLines,
  toPlainContentId,
  toPlainMediaType,
  UNKNOWN_TYPE,
  withCharset,
} from '@posthorn/domain/attachments';
import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { findHeaderFault, unfoldHeader } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { UNSUBSCRIBE_VARIABLE } from '@posthorn/domain/links';
import Joi, { type CustomHelpers, type ErrorReport } from 'joi';
import { allowNull, forbid, withAliases, withWayOut } from '../validation/field-rules.js';
import { isTopic, topicSchema } from '../validation/field-schemas.js';

const EMPTY = toAttachmentContent(Buffer.alloc(0));

/** @param findFault returns what is wrong, as a phrase that follows the field; null if nothing is */
function buildCheckedText(
  findFault: (text: string) => string | null,
  clean = (text: string) => text,
): Joi.StringSchema {
  return Joi.string().custom((given: string, helpers) => {
    const text = clean(given);
    const reason = findFault(text);
    return reason === null ? text : helpers.error('attachment.invalid', { reason });
  });
}

const content = Joi.string()
  .allow('')
  .custom((text: string, helpers) => {
    const bytes = decodeBase64(text);
    return bytes ? toAttachmentContent(bytes) : helpers.error('attachment.base64', { hint: getHint(text) });
  });

function getHint(text: string): string {
  if (/^data:/i.test(text)) return 'remove everything up to the comma';
  if (/\s/.test(text)) return 'remove the line breaks and spaces';
  if (/[-_]/.test(text)) return 'use the standard alphabet, with + and /';
  if (/[^A-Za-z0-9+/=]/.test(text)) return 'remove the characters that are not in the base64 alphabet';
  if (/^[^=]+={0,2}$/.test(text) && text.length % 4 === 0)
    return 'encode the bytes of the file again, because the last character has bits that decoding would drop';
  return 'encode the bytes of the file with padding, as in "SGVsbG8="';
}

const notFetched = forbid('is not read; send the file itself in content, as base64');

type AttachmentBody = {
  filename: string;
  /** joi does not pass an empty string to the rule above. */
  content: AttachmentContent | '';
  content_type?: string;
  content_id?: string;
};

const attachment = Joi.object({
  filename: withAliases(buildCheckedText(findFilenameFault).required(), 'name', 'file_name'),
  content: withAliases(content.required(), 'data', 'base64', 'content_base64', 'raw_content'),
  ...allowNull({
    content_type: withAliases(
      buildCheckedText(findContentTypeFault, toPlainMediaType),
      'type',
      'mime_type',
      'media_type',
    ),
    content_id: withAliases(buildCheckedText(findContentIdFault, toPlainContentId), 'cid', 'inline_content_id'),
  }),
  path: notFetched,
  url: notFetched,
  href: notFetched,
}).custom(toAttachment);

/** Files to send with an email. The validated value is a list of Attachment. */
export const attachments = withWayOut(
  Joi.array().items(attachment).max(limits.attachments.max).custom(assertDistinctIds),
  'Put several files into one archive, or link to them',
);

/**
 * If two files had the same content id, it would be unclear which one the html refers to.
 * @param given also has the items that joi has refused, as they were sent
 */
function assertDistinctIds(given: Array<Attachment | null>): Array<Attachment | null> {
  const indexes = new Map<string, number>();
  for (const [index, item] of given.entries()) {
    const contentId = item?.contentId;
    if (!contentId) continue;
    const earlier = indexes.get(contentId);
    if (earlier !== undefined) {
      const message = `is also the content_id of attachments[${earlier}]; choose another`;
      throw invalid({ field: `attachments[${index}].content_id`, message });
    }
    indexes.set(contentId, index);
  }
  return given;
}

function toAttachment(
  { filename, content, content_type, content_id }: AttachmentBody,
  helpers: CustomHelpers,
): Attachment | ErrorReport {
  const file = content === '' ? EMPTY : content;
  const type = content_type ?? toMediaType(filename);
  const contentId = content_id ?? null;
  if (!isMessageType(type)) return { filename, contentType: withCharset(type, file.bytes), contentId, content: file };
  const lines = toMessageLines(file.bytes);
  if (typeof lines !== 'string') return { filename, contentType: type, contentId, content: toAttachmentContent(lines) };
  if (content_type !== undefined) return helpers.error('attachment.invalid', { reason: lines });
  return { filename, contentType: UNKNOWN_TYPE, contentId, content: file };
}

export const customHeaders = Joi.object()
  .pattern(Joi.string().allow(''), Joi.string().allow('').empty(null))
  .max(limits.headers.max)
  .custom((given: Record<string, string | undefined>) => {
    // A header that was null is still there without a value.
    const headers = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, unfoldHeader(name, value)] as const],
    );
    const faults = listHeaderFaults(headers);
    if (faults.length > 0) throw invalid(...faults);
    return Object.fromEntries(headers);
  });

function listHeaderFaults(
  headers: ReadonlyArray<readonly [string, string]>,
): Array<{ field: string; message: string }> {
  const seen = new Set<string>();
  return headers.flatMap(([name, value]) => {
    const repeated = seen.has(name.toLowerCase()) ? 'appears more than once; header names are case-insensitive' : null;
    seen.add(name.toLowerCase());
    const message = repeated ?? findHeaderFault(name, value);
    return message === null ? [] : [{ field: `headers.${name}`, message }];
  });
}

export const unsubscribe = Joi.object({ topic: topicSchema.required() });

/** The same rules as those of the schema. */
export function isUnsubscribe(value: unknown): value is Unsubscribe {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { topic, ...others } = value as Record<string, unknown>;
  return typeof topic === 'string' && isTopic(topic) && Object.keys(others).length === 0;
}

type UnsubscribableEmail = {
  readonly recipients: Recipients;
  readonly content: RequestedContent;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Checks that an email may have a topic. A link unsubscribes one recipient, so nobody else may get it (RFC 8058, 3.1).
 * @throws Refusal validation_failed
 */
export function assertUnsubscribable({ recipients, content, headers }: UnsubscribableEmail): void {
  const faults: FieldFault[] = [];
  const count = recipients.to.length + recipients.cc.length + recipients.bcc.length;
  if (count > 1) {
    const message = `requires exactly one recipient, because the link unsubscribes only one; this email has ${count}. Send each of them an email, for example with /api/v1/emails/batch`;
    faults.push({ field: 'unsubscribe', message });
  }
  if (content.kind === 'template' && Object.hasOwn(content.vars, UNSUBSCRIBE_VARIABLE)) {
    const message = 'is filled in by the service, because the email has unsubscribe. Remove one of the two';
    faults.push({ field: `template_vars.${UNSUBSCRIBE_VARIABLE}`, message });
  }
  for (const name of Object.keys(headers))
    if (/^list-unsubscribe(-post)?$/i.test(name))
      faults.push({ field: `headers.${name}`, message: 'is set by unsubscribe. Remove one of the two' });
  if (faults.length > 0) throw invalid(...faults);
}
