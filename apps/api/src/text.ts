import { hasBidirectionalControls, hasControlCharacters } from '@posthorn/domain';
import Joi from 'joi';

/** A string whose length is limited in bytes, because bytes are what Postgres and SMTP have to carry. */
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

/** The name of something that is shown to other people, without spaces around it. */
export function displayedName(maxCharacters: number): Joi.StringSchema {
  return singleLine(maxCharacters)
    .trim()
    .custom((text: string, helpers) => (hasBidirectionalControls(text) ? helpers.error('text.direction') : text));
}
