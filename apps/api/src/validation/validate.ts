import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { InvalidRequest } from '@posthorn/domain/accepting';
import { type FieldFault, invalid, Refusal, toItemFault } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import type { Schema, ValidationErrorItem } from 'joi';
import { describeExample, describeWayOut, type FieldRules, findFieldRules, getFieldRules } from './field-rules.js';
import { describeUnknownField, type NameKind, validationMessages, wrongTypes } from './validation-messages.js';

/** What our own rules get: the time, and how many faults were found. Expensive rules stop once enough were found. */
export type RuleContext = { faults: number; readonly now: Date };

/**
 * Validates a value without coercing or dropping anything.
 * @throws Refusal validation_failed that names the invalid fields, up to the number that a 422 lists, with a suggestion
 *   for each unknown one
 */
export function validate<Value>(
  schema: Schema<Value>,
  value: unknown,
  { kind = 'field', now = new Date() }: { readonly kind?: NameKind; readonly now?: Date } = {},
): Value {
  checkSizes(schema, value, kind);
  const context: RuleContext = { faults: 0, now };
  const { value: valid, error } = schema.validate(value, {
    context,
    abortEarly: false,
    convert: false,
    messages: validationMessages,
    errors: { wrap: { array: false, string: false }, label: false },
  });
  if (error) throw invalid(...toFaults(error.details, schema, kind));
  return valid;
}

/**
 * Looks at twice as many faults as a 422 lists, because joi reports some twice. Unknown fields come first: a misspelled
 * field is often why another one is missing.
 */
function toFaults(items: readonly ValidationErrorItem[], schema: Schema, kind: NameKind): FieldFault[] {
  const isUnknown = ({ type }: ValidationErrorItem) => type === 'object.unknown';
  const details = [...items.filter(isUnknown), ...items.filter((item) => !isUnknown(item))];
  const limit = limits.faults.max;
  const faults = details.slice(0, 2 * limit).flatMap((item) => findThrownFaults(item) ?? toFault(item, schema, kind));
  return removeDuplicates(faults).slice(0, limit);
}

/**
 * The faults of a refusal that one of our own rules threw; undefined for a fault that joi itself found.
 * @throws any other error of a rule, which is a bug in our code and not a fault in the request
 */
function findThrownFaults({ type, context }: ValidationErrorItem): readonly FieldFault[] | undefined {
  if (type !== 'any.custom') return undefined;
  if (context?.error instanceof Refusal) return context.error.extras.faults;
  throw context?.error;
}

/** joi reports a fault in a conditional schema twice. */
function removeDuplicates(faults: readonly FieldFault[]): FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

function toFault(item: ValidationErrorItem, schema: Schema, kind: NameKind): FieldFault {
  const field = toFieldPath(item.path) || getFirstPresent(item);
  const { type, path, message } = item;
  if (type === 'object.unknown') {
    const known = findFieldRules(schema, path.slice(0, -1))?.names ?? [];
    return { field, message: describeUnknownField(String(path.at(-1)), known, kind) };
  }
  return { field, message: message + describeAdvice(item, schema) };
}

/** The error codes for sizes that `checkSizes` does not check. */
const TOO_LARGE = new Set(['text.bytes', 'vars.bytes', 'vars.characters']);

function describeAdvice(item: ValidationErrorItem, schema: Schema): string {
  const rules = findFieldRules(schema, item.path);
  if (rules === undefined) return '';
  if (TOO_LARGE.has(item.type)) return describeWayOut(rules);
  return isWrongType(item.message) ? suggestValue(item, rules) : '';
}

/** A schema's own message for a wrong type already says what to send. */
function isWrongType(message: string): boolean {
  return Object.values<string>(wrongTypes).includes(message);
}

/** A longer string is not repeated in the refusal. */
const MAX_REPEATED_CHARACTERS = 200;

/** For a string sent instead of a list of strings, the list that was probably meant. */
function suggestValue({ context }: ValidationErrorItem, rules: FieldRules): string {
  const { example } = rules;
  const given = context?.value;
  const isTexts = Array.isArray(example) && typeof example[0] === 'string';
  if (!isTexts || typeof given !== 'string' || given.length > MAX_REPEATED_CHARACTERS) return describeExample(rules);
  return `; send ${JSON.stringify(given.split(/[,;]\s*/))}`;
}

/** If two fields exclude each other, the fault is reported for the first one. */
function getFirstPresent({ context }: ValidationErrorItem): string {
  return String(context?.present?.[0] ?? '');
}

/** `['to', 1, 'name']` as `to[1].name` */
function toFieldPath(path: ReadonlyArray<string | number>): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

const { max: MAX_ITEMS } = limits.batch;

/** After this time, other requests are handled first, so that a large batch does not delay them. */
const MAX_MS_WITHOUT_YIELD = 5;

/**
 * Validates the items of a batch one by one.
 * @param validateOne returns the valid item, or throws Refusal validation_failed
 * @param keepsInvalid whether the result has an invalid item with its refusal, instead of refusing all items
 * @throws Refusal validation_failed. The path of each field begins with the index of its item, such as `[2].to[0]`
 */
export async function validateEach<Item>(
  body: unknown,
  validateOne: (item: unknown) => Item,
  keepsInvalid: boolean,
): Promise<Array<Item | InvalidRequest>> {
  const items = assertItems(body);
  const validated: Array<Item | InvalidRequest> = [];
  const faults: FieldFault[] = [];
  let resumedAt = performance.now();
  for (const [index, given] of items.entries()) {
    try {
      validated.push(validateOne(given));
    } catch (error) {
      const located = locateFaults(index, error);
      if (keepsInvalid) validated.push({ given, refusal: error as Refusal });
      else faults.push(...located);
    }
    if (faults.length >= limits.faults.max) break;
    if (performance.now() - resumedAt < MAX_MS_WITHOUT_YIELD) continue;
    await yieldToEventLoop();
    resumedAt = performance.now();
  }
  if (faults.length > 0) throw invalid(...faults);
  return validated;
}

function assertItems(body: unknown): readonly unknown[] {
  const message = `must be an array of 1 to ${MAX_ITEMS} emails`;
  if (!Array.isArray(body)) {
    const example = '[{"to": …}, {"to": …}]';
    throw invalid({ field: '', message: `${message}, such as ${example}; send a single email to /api/v1/emails` });
  }
  if (body.length === 0) throw invalid({ field: '', message: `${message}, but it is empty` });
  if (body.length > MAX_ITEMS) {
    throw invalid({ field: '', message: `${message}, but it has ${body.length}. Split it into several batches` });
  }
  return body;
}

function locateFaults(index: number, error: unknown): FieldFault[] {
  if (!(error instanceof Refusal) || error.extras.faults === undefined) throw error;
  return error.extras.faults.map((fault) => toItemFault(index, fault));
}

/** The faults found so far. `tooLarge`: fields too large to inspect any further. */
type Faults = { readonly kind: NameKind; readonly tooLarge: FieldFault[]; readonly others: FieldFault[] };

/**
 * Checks how many items, fields and characters a value has before joi looks at any of them. joi checks every item of
 * an array, however long it is, and spends as long on one fault as on a whole small request.
 * @throws Refusal validation_failed if anything is too large, or if there are more faults than a 422 lists
 */
function checkSizes(schema: Schema, value: unknown, kind: NameKind): void {
  const faults: Faults = { kind, tooLarge: [], others: [] };
  check(getFieldRules(schema), value, '', faults);
  if (faults.tooLarge.length > 0 || isFull(faults)) throw invalid(...faults.tooLarge, ...faults.others);
}

function check(rules: FieldRules, value: unknown, field: string, faults: Faults): void {
  if (typeof value === 'string') checkText(rules, value, field, faults);
  else if (Array.isArray(value)) checkItems(rules, value, field, faults);
  else if (typeof value === 'object' && value !== null) checkFields(rules, value, field, faults);
}

function checkText(rules: FieldRules, text: string, field: string, { tooLarge }: Faults): void {
  if (rules.type === 'string' && text.length > rules.max)
    tooLarge.push(buildSizeFault(rules, field, formatCountOf(text.length, 'character')));
}

function checkItems(rules: FieldRules, items: readonly unknown[], field: string, faults: Faults): void {
  const { type, max, item } = rules;
  if (type !== 'array') return;
  if (items.length > max) {
    faults.tooLarge.push(buildSizeFault(rules, field, formatCountOf(items.length, 'item')));
    return;
  }
  for (let index = 0; item !== null && index < items.length && !isFull(faults); index += 1) {
    const path = `${field}[${index}]`;
    if (isOfType(item, items[index])) check(item, items[index], path, faults);
    else
      faults.others.push({
        field: path,
        message: wrongTypes[item.type as keyof typeof wrongTypes] + describeExample(item),
      });
  }
}

function checkFields(rules: FieldRules, value: object, field: string, faults: Faults): void {
  const { type, max, fields, names: known } = rules;
  if (type !== 'object') return;
  const names = Object.keys(value);
  if (names.length > max) faults.tooLarge.push(buildSizeFault(rules, field, formatCountOf(names.length, 'field')));
  if (fields === null) return;
  const prefix = field === '' ? '' : `${field}.`;
  for (let index = 0; index < names.length && !isFull(faults); index += 1) {
    const name = names[index] as string;
    const own = fields.get(name);
    if (own) check(own, (value as Record<string, unknown>)[name], prefix + name, faults);
    else faults.others.push({ field: prefix + name, message: describeUnknownField(name, known, faults.kind) });
  }
}

function isOfType({ type }: FieldRules, value: unknown): boolean {
  switch (type) {
    case 'other':
      return true;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'string':
      return typeof value === 'string';
    default:
      return type satisfies never;
  }
}

function isFull({ tooLarge, others }: Faults): boolean {
  return tooLarge.length + others.length >= limits.faults.max;
}

function buildSizeFault(rules: FieldRules, field: string, size: string): FieldFault {
  return { field, message: `has ${size}; the limit is ${formatCount(rules.max)}${describeWayOut(rules)}` };
}
