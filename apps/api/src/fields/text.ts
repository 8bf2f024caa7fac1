import { hasBidirectionalControls, hasControlCharacters } from '@posthorn/platform/values';
import Joi from 'joi';

/** A UTF-16 code unit takes up to three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** What to suggest if html is too large. */
export const LINK_TO_IMAGES = 'Attach large images or link to them instead of embedding them';

/** A string whose length is limited in bytes, because its size in bytes is what matters to Postgres and SMTP. */
export function limitedText(maxBytes: number): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    if (fitsInBytes(text, maxBytes)) return text;
    return helpers.error('text.bytes', { bytes: Buffer.byteLength(text), limit: maxBytes });
  });
}

/** Whether the text is at most this long in UTF-8. Most strings need not be counted. */
export function fitsInBytes(text: string, maxBytes: number): boolean {
  return text.length * MAX_BYTES_PER_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** A string for a header line. A line break would end the header early. */
export function singleLine(maxCharacters: number): Joi.StringSchema {
  return Joi.string()
    .max(maxCharacters)
    .custom((text: string, helpers) => (hasControlCharacters(text) ? helpers.error('text.control') : text));
}

/** A name that is shown to other people, without leading or trailing spaces. */
export function displayedName(maxCharacters: number): Joi.StringSchema {
  return singleLine(maxCharacters)
    .trim()
    .custom((text: string, helpers) => (hasBidirectionalControls(text) ? helpers.error('text.direction') : text));
}
