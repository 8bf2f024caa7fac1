import { type FieldFault, invalid, Refusal } from '@posthorn/domain';
import type { Schema, ValidationErrorItem } from 'joi';
import { closest } from './closest.js';

const MOST_FAULTS = 20;

/**
 * @param schema compiled once, at start
 * @returns the value as the schema has it (defaults filled in); nothing is coerced or dropped
 * @throws Refusal validation_failed naming every field, with a suggestion for a mistyped one
 */
export function validate<Value>(schema: Schema<Value>, value: unknown): Value {
  const { value: valid, error } = schema.validate(value, {
    abortEarly: false,
    convert: false,
    errors: { wrap: { label: false, array: false, string: '"' }, label: 'key' },
  });
  const thrown = error?.details[0]?.context?.error;
  if (thrown instanceof Refusal) throw thrown;
  if (error) throw invalid(...distinct(error.details.map((item) => toFault(item, schema))).slice(0, MOST_FAULTS));
  return valid;
}

/** joi tells a fault of a conditional schema twice. */
function distinct(faults: readonly FieldFault[]): FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

function toFault(item: ValidationErrorItem, schema: Schema): FieldFault {
  const field = fieldPath(item.path);
  if (item.type === 'object.unknown') {
    return { field, message: `is not a known field${suggestion(item, schema)}` };
  }
  // joi starts its sentence with the label, which the field already says.
  const label = String(item.context?.label ?? '');
  const message = item.message.startsWith(`${label} `) ? item.message.slice(label.length + 1) : item.message;
  return { field, message };
}

function suggestion(item: ValidationErrorItem, schema: Schema): string {
  const parent = item.path.length > 1 ? null : schema;
  const known = parent && 'keys' in parent.describe() ? Object.keys(parent.describe().keys) : [];
  const match = closest(String(item.path.at(-1)), known);
  return match ? `; did you mean ${match}?` : '';
}

/** `['to', 1, 'name']` as `to[1].name` */
export function fieldPath(path: ReadonlyArray<string | number>): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
