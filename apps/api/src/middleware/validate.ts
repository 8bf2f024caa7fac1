import { type FieldFault, invalid, limits, Refusal } from '@posthorn/domain';
import type { Schema, ValidationErrorItem } from 'joi';
import { closestName, type KnownName } from './closest-name.js';
import { validationMessages } from './validation-messages.js';

/**
 * Validates a value without coercing or dropping anything.
 * @throws Refusal validation_failed that names every invalid field, with a suggestion for an unknown one
 */
export function validate<Value>(schema: Schema<Value>, value: unknown): Value {
  const { value: valid, error } = schema.validate(value, {
    abortEarly: false,
    convert: false,
    messages: validationMessages,
    errors: { wrap: { array: false, string: false }, label: false },
  });
  if (error) throw invalid(...faultsOf(error.details, schema));
  return valid;
}

/** A body can have thousands of faults. This looks only at as many as a 422 response reports. */
function faultsOf(details: readonly ValidationErrorItem[], schema: Schema): FieldFault[] {
  const known = knownNames(schema);
  const limit = limits.faults.max;
  return distinct(details.slice(0, 2 * limit).flatMap((item) => thrownFaults(item) ?? toFault(item, known))).slice(
    0,
    limit,
  );
}

/** The faults of a refusal that one of our own rules has thrown; undefined for joi's rules. */
function thrownFaults({ context }: ValidationErrorItem): readonly FieldFault[] | undefined {
  return context?.error instanceof Refusal ? context.error.extras.faults : undefined;
}

/** Cached, because describing a schema takes a millisecond. */
const namesOf = new WeakMap<Schema, readonly KnownName[]>();

function knownNames(schema: Schema): readonly KnownName[] {
  const names = namesOf.get(schema) ?? describeNames(schema);
  namesOf.set(schema, names);
  return names;
}

function describeNames(schema: Schema): KnownName[] {
  const fields: Record<string, Described> = schema.describe().keys ?? {};
  return Object.entries(fields).map(([name, { metas = [] }]) => ({
    name,
    aliases: metas.flatMap(({ aliases = [] }) => aliases),
  }));
}

/** `metas` are what `withAliases` adds. */
type Described = { metas?: Array<{ aliases?: readonly string[] }> };

/** joi reports a fault in a conditional schema twice. */
function distinct(faults: readonly FieldFault[]): FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

function toFault(item: ValidationErrorItem, known: readonly KnownName[]): FieldFault {
  const field = fieldPath(item.path) || firstPresent(item);
  const advice = item.type === 'object.unknown' ? suggestion(item, known) : '';
  return { field, message: `${item.message}${advice}` };
}

/** If two fields exclude each other, the fault is reported for the first one. */
function firstPresent({ context }: ValidationErrorItem): string {
  return String(context?.present?.[0] ?? '');
}

function suggestion({ path }: ValidationErrorItem, known: readonly KnownName[]): string {
  const match = path.length > 1 ? null : closestName(String(path[0]), known);
  return match ? `. Did you mean ${match}?` : '; remove it or check its spelling';
}

/** `['to', 1, 'name']` as `to[1].name` */
export function fieldPath(path: ReadonlyArray<string | number>): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
