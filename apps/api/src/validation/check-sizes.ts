import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import type { Schema } from 'joi';
import { type FieldRules, fieldRulesOf, suchAs, wayOutOf } from './field-rules.js';
import { type NameKind, unknownFieldMessage } from './unknown-field-message.js';
import { wrongTypes } from './validation-messages.js';

/** The faults found so far. `tooLarge`: fields too large to inspect any further. */
type Faults = { readonly kind: NameKind; readonly tooLarge: FieldFault[]; readonly others: FieldFault[] };

/**
 * Checks how many items, fields and characters a value has before joi looks at any of them. joi checks every item of
 * an array, however long it is, and spends as long on one fault as on a whole small request.
 * @throws Refusal validation_failed if anything is too large, or if there are more faults than a 422 lists
 */
export function checkSizes(schema: Schema, value: unknown, kind: NameKind): void {
  const faults: Faults = { kind, tooLarge: [], others: [] };
  check(fieldRulesOf(schema), value, '', faults);
  if (faults.tooLarge.length > 0 || isFull(faults)) throw invalid(...faults.tooLarge, ...faults.others);
}

function check(rules: FieldRules, value: unknown, field: string, faults: Faults): void {
  if (typeof value === 'string') checkText(rules, value, field, faults);
  else if (Array.isArray(value)) checkItems(rules, value, field, faults);
  else if (typeof value === 'object' && value !== null) checkFields(rules, value, field, faults);
}

function checkText(rules: FieldRules, text: string, field: string, { tooLarge }: Faults): void {
  if (rules.type === 'string' && text.length > rules.max)
    tooLarge.push(sizeFault(rules, field, formatCountOf(text.length, 'character')));
}

function checkItems(rules: FieldRules, items: readonly unknown[], field: string, faults: Faults): void {
  const { type, max, item } = rules;
  if (type !== 'array') return;
  if (items.length > max) {
    faults.tooLarge.push(sizeFault(rules, field, formatCountOf(items.length, 'item')));
    return;
  }
  for (let index = 0; item !== null && index < items.length && !isFull(faults); index += 1) {
    const path = `${field}[${index}]`;
    if (isOfType(item, items[index])) check(item, items[index], path, faults);
    else faults.others.push({ field: path, message: wrongTypes[item.type as keyof typeof wrongTypes] + suchAs(item) });
  }
}

function checkFields(rules: FieldRules, value: object, field: string, faults: Faults): void {
  const { type, max, fields, names: known } = rules;
  if (type !== 'object') return;
  const names = Object.keys(value);
  if (names.length > max) faults.tooLarge.push(sizeFault(rules, field, formatCountOf(names.length, 'field')));
  if (fields === null) return;
  const prefix = field === '' ? '' : `${field}.`;
  for (let index = 0; index < names.length && !isFull(faults); index += 1) {
    const name = names[index] as string;
    const own = fields.get(name);
    if (own) check(own, (value as Record<string, unknown>)[name], prefix + name, faults);
    else faults.others.push({ field: prefix + name, message: unknownFieldMessage(name, known, faults.kind) });
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

function sizeFault(rules: FieldRules, field: string, size: string): FieldFault {
  return { field, message: `has ${size}; the limit is ${formatCount(rules.max)}${wayOutOf(rules)}` };
}
