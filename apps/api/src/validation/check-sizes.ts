import { type FieldFault, formatCount, formatCountOf, invalid, limits } from '@posthorn/domain';
import type { Description, Schema } from 'joi';
import type { KnownName } from './closest-name.js';
import { knownNames } from './known-names.js';
import { unknownFieldMessage } from './unknown-field-message.js';
import { wrongTypes } from './validation-messages.js';

/** What a schema says about sizes, names and types. */
type Shape = {
  readonly type: keyof typeof wrongTypes | 'other';
  readonly max: number;
  /** Of an object; null if it may have any names. */
  readonly fields: ReadonlyMap<string, Shape> | null;
  /** Of an array. */
  readonly item: Shape | null;
};

/** Faults of two kinds: `tooLarge` is what must not be looked at more closely. `known` are names to suggest. */
type Found = { readonly known: readonly KnownName[]; readonly tooLarge: FieldFault[]; readonly others: FieldFault[] };

/**
 * Checks how many items, fields and characters a value has before joi looks at any of them. joi checks every item of
 * an array, however long it is, and takes about as long for a fault as a small request takes in total.
 * @throws Refusal validation_failed if anything is too large, or if there are more faults than a 422 lists
 */
export function checkSizes(schema: Schema, value: unknown): void {
  const found: Found = { known: knownNames(schema), tooLarge: [], others: [] };
  look(shapeOf(schema), value, '', found);
  if (found.tooLarge.length > 0 || isFull(found)) throw invalid(...found.tooLarge, ...found.others);
}

/** Cached, because describing a schema takes a millisecond. */
const shapes = new WeakMap<Schema, Shape>();

function shapeOf(schema: Schema): Shape {
  const shape = shapes.get(schema) ?? toShape(schema.describe());
  shapes.set(schema, shape);
  return shape;
}

type Rule = { readonly name: string; readonly args: { readonly limit: number } };

function toShape({ type, rules = [], keys, items = [] }: Description): Shape {
  const [item] = items as Description[];
  const max = (rules as Rule[]).find(({ name }) => name === 'max')?.args.limit;
  return {
    type: type !== undefined && type in wrongTypes ? (type as Shape['type']) : 'other',
    max: max ?? Number.POSITIVE_INFINITY,
    fields: keys ? new Map(Object.entries<Description>(keys).map(([name, field]) => [name, toShape(field)])) : null,
    item: item ? toShape(item) : null,
  };
}

function look(shape: Shape, value: unknown, field: string, found: Found): void {
  if (typeof value === 'string') lookAtText(shape, value, field, found);
  else if (Array.isArray(value)) lookAtItems(shape, value, field, found);
  else if (typeof value === 'object' && value !== null) lookAtFields(shape, value, field, found);
}

function lookAtText({ type, max }: Shape, text: string, field: string, { tooLarge }: Found): void {
  if (type === 'string' && text.length > max) tooLarge.push(fault(field, formatCountOf(text.length, 'character'), max));
}

function lookAtItems({ type, max, item }: Shape, items: readonly unknown[], field: string, found: Found): void {
  if (type !== 'array') return;
  if (items.length > max) {
    found.tooLarge.push(fault(field, formatCountOf(items.length, 'item'), max));
    return;
  }
  for (let index = 0; item !== null && index < items.length && !isFull(found); index += 1) {
    const path = `${field}[${index}]`;
    if (isOfType(item, items[index])) look(item, items[index], path, found);
    else found.others.push({ field: path, message: wrongTypes[item.type as keyof typeof wrongTypes] });
  }
}

function lookAtFields({ type, max, fields }: Shape, value: object, field: string, found: Found): void {
  if (type !== 'object') return;
  const names = Object.keys(value);
  if (names.length > max) found.tooLarge.push(fault(field, formatCountOf(names.length, 'key'), max));
  if (fields === null) return;
  const prefix = field === '' ? '' : `${field}.`;
  // Suggestions come from the fields of the body, not from those of objects inside it.
  const known = field === '' ? found.known : [];
  for (let index = 0; index < names.length && !isFull(found); index += 1) {
    const name = names[index] as string;
    const shape = fields.get(name);
    if (shape) look(shape, (value as Record<string, unknown>)[name], prefix + name, found);
    else found.others.push({ field: prefix + name, message: unknownFieldMessage(name, known) });
  }
}

function isOfType({ type }: Shape, value: unknown): boolean {
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

function isFull({ tooLarge, others }: Found): boolean {
  return tooLarge.length + others.length >= limits.faults.max;
}

function fault(field: string, size: string, max: number): FieldFault {
  return { field, message: `has ${size}; the limit is ${formatCount(max)}` };
}
