import { hasControlCharacters } from '@posthorn/domain';
import Joi from 'joi';

/** Text of at most so many bytes of UTF-8: what Postgres, SMTP and memory are asked to carry. */
export function bytesAtMost(max: number): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    const bytes = Buffer.byteLength(text);
    if (bytes <= max) return text;
    return helpers.message({ custom: `must be at most ${max} bytes, it has ${bytes}` });
  });
}

/** Text for a header line: no line break can end it early. */
export function singleLine(maxCharacters: number): Joi.StringSchema {
  return Joi.string()
    .max(maxCharacters)
    .custom((text: string, helpers) =>
      hasControlCharacters(text)
        ? helpers.message({ custom: 'must not hold line breaks or control characters' })
        : text,
    );
}
