import { holdsControl } from '@posthorn/domain';
import Joi from 'joi';

/** Text of at most so many bytes of UTF-8: what Postgres, SMTP and memory are asked to carry. */
export function bytesAtMost(max: number): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    const bytes = Buffer.byteLength(text);
    return bytes <= max ? text : helpers.error('text.bytes', { bytes, limit: max });
  });
}

/** Text for a header line: no line break can end it early. */
export function singleLine(maxCharacters: number): Joi.StringSchema {
  return Joi.string()
    .max(maxCharacters)
    .custom((text: string, helpers) => (holdsControl(text) ? helpers.error('text.control') : text));
}
