import {
  type Attachment,
  AttachmentContent,
  contentIdFault,
  contentTypeFault,
  decodeBase64,
  filenameFault,
  mediaTypeOf,
} from '@posthorn/domain/attachments';
import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import Joi from 'joi';
import { forbidden, withAliases, withWayOut } from '../validation/field-rules.js';

const EMPTY = new AttachmentContent(Buffer.alloc(0));

/** @param faultOf returns what is wrong, as a phrase that follows the field; null if nothing is */
function checkedText(faultOf: (text: string) => string | null): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    const reason = faultOf(text);
    return reason === null ? text : helpers.error('attachment.invalid', { reason });
  });
}

/** The validated value is an AttachmentContent. */
const content = Joi.string()
  .allow('')
  .custom((text: string, helpers) => {
    const bytes = decodeBase64(text);
    return bytes ? new AttachmentContent(bytes) : helpers.error('attachment.base64', { hint: hintFor(text) });
  });

function hintFor(text: string): string {
  if (/^data:/i.test(text)) return 'remove everything up to the comma';
  if (/\s/.test(text)) return 'remove the line breaks and spaces';
  if (/[-_]/.test(text)) return 'use the standard alphabet, with + and /';
  if (/[^A-Za-z0-9+/=]/.test(text)) return 'remove the characters that are not in the base64 alphabet';
  if (/^[^=]+={0,2}$/.test(text) && text.length % 4 === 0)
    return 'encode the bytes of the file again, because the last character has bits that decoding would drop';
  return 'encode the bytes of the file with padding, as in "SGVsbG8="';
}

const notFetched = forbidden('is not read; send the file itself in content, as base64');

type AttachmentBody = {
  filename: string;
  /** joi does not pass an empty string to the rule above. */
  content: AttachmentContent | '';
  content_type?: string;
  content_id?: string;
};

const attachment = Joi.object({
  filename: withAliases(checkedText(filenameFault).required(), 'name', 'file_name'),
  content: withAliases(content.required(), 'data', 'base64', 'content_base64', 'raw_content'),
  content_type: withAliases(checkedText(contentTypeFault), 'type', 'mime_type', 'media_type'),
  content_id: withAliases(checkedText(contentIdFault), 'cid', 'inline_content_id'),
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

function toAttachment({ filename, content, content_type, content_id }: AttachmentBody): Attachment {
  return {
    filename,
    contentType: content_type ?? mediaTypeOf(filename),
    contentId: content_id ?? null,
    content: content === '' ? EMPTY : content,
  };
}
