import { type FieldFault, invalid, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Schema, ValidationErrorItem } from 'joi';
import { checkSizes } from './check-sizes.js';
import { type FieldRules, fieldAt, suchAs, wayOutOf } from './field-rules.js';
import { type NameKind, unknownFieldMessage } from './unknown-field-message.js';
import { validationMessages, wrongTypes } from './validation-messages.js';

/** How many faults the validation has found. Rules that are expensive stop looking once enough have been found. */
export type FaultCount = { faults: number };

/**
 * Validates a value without coercing or dropping anything.
 * @throws Refusal validation_failed that names the invalid fields, up to the number that a 422 lists, with a suggestion
 *   for each unknown one
 */
export function validate<Value>(schema: Schema<Value>, value: unknown, kind: NameKind = 'field'): Value {
  checkSizes(schema, value, kind);
  const context: FaultCount = { faults: 0 };
  const { value: valid, error } = schema.validate(value, {
    context,
    abortEarly: false,
    convert: false,
    messages: validationMessages,
    errors: { wrap: { array: false, string: false }, label: false },
  });
  if (error) throw invalid(...faultsOf(error.details, schema, kind));
  return valid;
}

/**
 * Looks at twice as many faults as a 422 lists, because joi reports some twice. Unknown fields come first: a misspelled
 * field is often why another one is missing.
 */
function faultsOf(items: readonly ValidationErrorItem[], schema: Schema, kind: NameKind): FieldFault[] {
  const isUnknown = ({ type }: ValidationErrorItem) => type === 'object.unknown';
  const details = [...items.filter(isUnknown), ...items.filter((item) => !isUnknown(item))];
  const limit = limits.faults.max;
  const faults = details.slice(0, 2 * limit).flatMap((item) => thrownFaults(item) ?? toFault(item, schema, kind));
  return distinct(faults).slice(0, limit);
}

/**
 * The faults of a refusal that one of our own rules threw; undefined for a fault that joi itself found.
 * @throws any other error of a rule, which is a bug in our code and not a fault in the request
 */
function thrownFaults({ type, context }: ValidationErrorItem): readonly FieldFault[] | undefined {
  if (type !== 'any.custom') return undefined;
  if (context?.error instanceof Refusal) return context.error.extras.faults;
  throw context?.error;
}

/** joi reports a fault in a conditional schema twice. */
function distinct(faults: readonly FieldFault[]): FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

function toFault(item: ValidationErrorItem, schema: Schema, kind: NameKind): FieldFault {
  const field = fieldPath(item.path) || firstPresent(item);
  const { type, path, message } = item;
  if (type === 'object.unknown') {
    const known = fieldAt(schema, path.slice(0, -1))?.names ?? [];
    return { field, message: unknownFieldMessage(String(path.at(-1)), known, kind) };
  }
  return { field, message: message + adviceFor(item, schema) };
}

/** The error codes for sizes that `checkSizes` does not check. */
const TOO_LARGE = new Set(['text.bytes', 'vars.bytes', 'vars.characters']);

function adviceFor(item: ValidationErrorItem, schema: Schema): string {
  const rules = fieldAt(schema, item.path);
  if (rules === undefined) return '';
  if (TOO_LARGE.has(item.type)) return wayOutOf(rules);
  return isWrongType(item.message) ? exampleFor(item, rules) : '';
}

/** A schema's own message for a wrong type already says what to send. */
function isWrongType(message: string): boolean {
  return Object.values<string>(wrongTypes).includes(message);
}

/** A longer string is not repeated in the refusal. */
const MAX_REPEATED_CHARACTERS = 200;

/** For a string sent instead of a list of strings, the list that was probably meant. */
function exampleFor({ context }: ValidationErrorItem, rules: FieldRules): string {
  const { example } = rules;
  const given = context?.value;
  const isTexts = Array.isArray(example) && typeof example[0] === 'string';
  if (!isTexts || typeof given !== 'string' || given.length > MAX_REPEATED_CHARACTERS) return suchAs(rules);
  return `; send ${JSON.stringify(given.split(/[,;]\s*/))}`;
}

/** If two fields exclude each other, the fault is reported for the first one. */
function firstPresent({ context }: ValidationErrorItem): string {
  return String(context?.present?.[0] ?? '');
}

/** `['to', 1, 'name']` as `to[1].name` */
export function fieldPath(path: ReadonlyArray<string | number>): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
