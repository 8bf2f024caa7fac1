import { hasBidirectionalControls, hasControlCharacters } from '@posthorn/domain';
import Joi from 'joi';

/** A string whose length is limited in bytes, because its size in bytes is what matters to Postgres and SMTP. */
export function limitedText(maxBytes: number): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    const bytes = Buffer.byteLength(text);
    return bytes <= maxBytes ? text : helpers.error('text.bytes', { bytes, limit: maxBytes });
  });
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
