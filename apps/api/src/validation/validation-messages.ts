import { formatCount, formatCountOf } from '@posthorn/platform/values';
import Joi, { type LanguageMessages } from 'joi';

/** joi's types lack the `functions` option. */
const options: object = { functions: { count: formatCount, countOf: formatCountOf } };

function template(text: string): string {
  return Joi.expression(text, options);
}

export const wrongTypes = {
  array: 'must be an array',
  object: 'must be an object',
  string: 'must be a string',
} as const;

/**
 * The messages of a 422, by joi error code. Each one completes a sentence that starts with the field, and says what
 * was wrong, what the limit is and what to do. A message that only one schema needs is defined next to that schema.
 * The templates are compiled once here, because joi compiles plain strings on every validation. `checkSizes` has
 * already checked the sizes.
 */
export const validationMessages: LanguageMessages = {
  'any.only': template('must be one of: {{#valids}}'),
  'any.required': template('{if(#reason, #reason, "is required")}'),
  'any.unknown': template('{#reason}'),
  'array.base': template(wrongTypes.array),
  'array.min': template('must have at least {countOf(#limit, "item")}'),
  'array.unique': template(
    '{if(#path, "has the same " + #path + " as", "repeats")} an earlier item; remove one of the two',
  ),
  'boolean.base': template('must be true or false'),
  'object.base': template(wrongTypes.object),
  'object.unknown': template('is not a known field'),
  'string.base': template(wrongTypes.string),
  'string.empty': template('must not be empty'),
  'string.min': template('must have at least {countOf(#limit, "character")}; it has {count(length(#value))}'),
  'string.pattern.name': template('must be {#name}'),
  'string.trim': template('must not start or end with whitespace'),
  // Error codes of our own rules
  'address.invalid': template('{#reason}'),
  'attachment.invalid': template('{#reason}'),
  'attachment.base64': template('must be base64 (RFC 4648, section 4); {#hint}'),
  'text.bytes': template('is {countOf(#bytes, "byte")} long; the limit is {count(#limit)}'),
  'text.control': template('must not contain line breaks or control characters'),
  'text.direction': template('must not contain characters that change the direction of text'),
  'vars.bytes': template('is {countOf(#bytes, "byte")} long as JSON; the limit is {count(#limit)}'),
  'vars.characters': template(
    'has values with {countOf(#length, "character")} in total; the limit is {count(#limit)} bytes as JSON',
  ),
  'vars.name': template(
    'has a name of {countOf(#length, "character")}; names can have 1 to {count(#limit)} characters',
  ),
  'vars.number': template('is too large to be stored exactly; send it as a string'),
  'vars.reserved': template('is a reserved name; choose another'),
  'vars.value': template('must be a string, a number, a boolean or null'),
};
