import { type FieldFault, invalid, limits, Refusal } from '@posthorn/domain';
import type { Schema, ValidationErrorItem } from 'joi';
import { closest } from './closest.js';
import { validationMessages } from './validation-messages.js';

/**
 * @param schema compiled once, at start
 * @returns the value as the schema has it (defaults filled in); nothing is coerced or dropped
 * @throws Refusal validation_failed naming every field, with a suggestion for a mistyped one
 */
export function validate<Value>(schema: Schema<Value>, value: unknown): Value {
  const { value: valid, error } = schema.validate(value, {
    abortEarly: false,
    convert: false,
    messages: validationMessages,
    errors: { wrap: { array: false, string: false }, label: false },
  });
  const thrown = error?.details[0]?.context?.error;
  if (thrown instanceof Refusal) throw thrown;
  if (error) throw invalid(...faultsOf(error.details, schema));
  return valid;
}

/** A body may have thousands of faults; no more are looked at than are told. */
function faultsOf(details: readonly ValidationErrorItem[], schema: Schema): FieldFault[] {
  const known = knownNames(schema);
  const limit = limits.faults.max;
  return distinct(details.slice(0, 2 * limit).map((item) => toFault(item, known))).slice(0, limit);
}

/** Describing a schema takes a millisecond, and it does not change. */
const namesOf = new WeakMap<Schema, readonly string[]>();

function knownNames(schema: Schema): readonly string[] {
  const names = namesOf.get(schema) ?? Object.keys(schema.describe().keys ?? {});
  namesOf.set(schema, names);
  return names;
}

/** joi tells a fault of a conditional schema twice. */
function distinct(faults: readonly FieldFault[]): FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

function toFault(item: ValidationErrorItem, known: readonly string[]): FieldFault {
  const field = fieldPath(item.path) || firstOf(item);
  const advice = item.type === 'object.unknown' ? suggestion(item, known) : '';
  return { field, message: `${item.message}${advice}` };
}

/** A fault of fields that exclude each other is told of the first of them. */
function firstOf({ context }: ValidationErrorItem): string {
  return String(context?.present?.[0] ?? '');
}

function suggestion({ path }: ValidationErrorItem, known: readonly string[]): string {
  const match = path.length > 1 ? null : closest(String(path[0]), known);
  return match ? `. Did you mean ${match}?` : '; remove it or check its spelling';
}

/** `['to', 1, 'name']` as `to[1].name` */
export function fieldPath(path: ReadonlyArray<string | number>): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
