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
  'text.scripts': template(
    'contains the word {#word}, whose letters are from different alphabets. Write each word in one alphabet',
  ),
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

/** What a name stands for: a field of a body, or a parameter of a query string. */
export type NameKind = 'field' | 'query parameter';

/** @param known the names that are allowed here; empty to suggest none */
export function describeUnknownField(name: string, known: readonly KnownName[], kind: NameKind): string {
  const matches = findClosestNames(name, known);
  if (matches.length === 0) return `is not a known ${kind}; remove it or check its spelling`;
  return `is not a known ${kind}. Did you mean ${matches.join(' or ')}?`;
}

/** With more edits than this, a suggestion would be a guess. Short names allow fewer edits. */
const MAX_EDITS = 2;

/** Known names are much shorter, and comparing long names takes time. */
const MAX_NAME_CHARACTERS = 64;

/** A field, and what other services call it. */
export type KnownName = { readonly name: string; readonly aliases: readonly string[] };

/**
 * The fields that were most likely meant: `from` -> `from_`, `templateId` -> `template_id`, `html_body` -> `html`.
 * @returns several if they share an alias, such as `body`; none if no name is close
 */
function findClosestNames(name: string, known: readonly KnownName[]): string[] {
  if (name.length > MAX_NAME_CHARACTERS) return [];
  const isSame = (candidate: string) => normalizeName(candidate) === normalizeName(name);
  const same = known.filter(({ name: own, aliases }) => isSame(own) || aliases.some(isSame));
  if (same.length > 0) return same.map((field) => field.name);
  const ranked = known
    .map((field) => ({ candidate: field.name, edits: countEdits(name, field.name) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  const limit = Math.min(MAX_EDITS, Math.floor(name.length / 3));
  return best && best.edits <= limit ? [best.candidate] : [];
}

export function normalizeName(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The Levenshtein distance, computed one row at a time. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
