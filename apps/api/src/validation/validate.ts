import { type FieldFault, invalid, limits, Refusal } from '@posthorn/domain';
import type { Schema, ValidationErrorItem } from 'joi';
import { checkSizes } from './check-sizes.js';
import type { KnownName } from './closest-name.js';
import { knownNames } from './known-names.js';
import { unknownFieldMessage } from './unknown-field-message.js';
import { validationMessages } from './validation-messages.js';

/** How many faults the validation has found. Rules that are expensive stop looking once there are enough. */
export type FaultCount = { faults: number };

/**
 * Validates a value without coercing or dropping anything.
 * @throws Refusal validation_failed that names the invalid fields, up to the number that a 422 lists, with a suggestion
 *   for each unknown one
 */
export function validate<Value>(schema: Schema<Value>, value: unknown): Value {
  checkSizes(schema, value);
  const context: FaultCount = { faults: 0 };
  const { value: valid, error } = schema.validate(value, {
    context,
    abortEarly: false,
    convert: false,
    messages: validationMessages,
    errors: { wrap: { array: false, string: false }, label: false },
  });
  if (error) throw invalid(...faultsOf(error.details, schema));
  return valid;
}

/** Looks at twice as many faults as a 422 lists, because joi reports some twice. */
function faultsOf(details: readonly ValidationErrorItem[], schema: Schema): FieldFault[] {
  const known = knownNames(schema);
  const limit = limits.faults.max;
  return distinct(details.slice(0, 2 * limit).flatMap((item) => thrownFaults(item) ?? toFault(item, known))).slice(
    0,
    limit,
  );
}

/** The faults of a refusal that one of our own rules threw; undefined for a fault that joi itself found. */
function thrownFaults({ context }: ValidationErrorItem): readonly FieldFault[] | undefined {
  return context?.error instanceof Refusal ? context.error.extras.faults : undefined;
}

/** joi reports a fault in a conditional schema twice. */
function distinct(faults: readonly FieldFault[]): FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

function toFault(item: ValidationErrorItem, known: readonly KnownName[]): FieldFault {
  const field = fieldPath(item.path) || firstPresent(item);
  const { type, path, message } = item;
  if (type !== 'object.unknown') return { field, message };
  return { field, message: unknownFieldMessage(String(path.at(-1)), path.length > 1 ? [] : known) };
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
