import { JsonError } from './json-error.js';
import type { JsonLimits } from './json-limits.js';

/** A value and its location. The path is written out only if there is a fault, because most bodies have no faults. */
type Located = { readonly value: unknown; readonly name: string | number; readonly parent: Located | null };

/**
 * Refuses what would break validation or Postgres later: too many values or fields, text that Postgres cannot store,
 * and the name __proto__. Not recursive, because a deeply nested value would overflow the call stack.
 * @returns the total number of fields in all objects
 * @throws JsonError
 */
export function checkValues(
  root: unknown,
  { maxValues, maxFields }: Pick<JsonLimits, 'maxValues' | 'maxFields'>,
): number {
  const stack: Located[] = [{ value: root, name: '', parent: null }];
  let [values, fields] = [0, 0];
  for (let located = stack.pop(); located !== undefined; located = stack.pop()) {
    values += 1;
    if (values > maxValues) throw new JsonError({ kind: 'too_many_values' });
    const { value } = located;
    if (typeof value === 'string') assertStorable(value, located);
    else if (Array.isArray(value)) addItems(stack, located, value);
    else if (typeof value === 'object' && value !== null) fields += addFields(stack, located, value, maxFields);
  }
  return fields;
}

function assertStorable(text: string, located: Located): void {
  if (!isStorable(text)) throw new JsonError({ kind: 'unstorable', field: pathOf(located) });
}

function addItems(stack: Located[], parent: Located, items: readonly unknown[]): void {
  for (let index = 0; index < items.length; index += 1) stack.push({ value: items[index], name: index, parent });
}

function addFields(stack: Located[], parent: Located, value: object, maxFields: number): number {
  const names = Object.keys(value);
  if (names.length > maxFields)
    throw new JsonError({ kind: 'too_many_fields', field: pathOf(parent), fields: names.length });
  for (const name of names) stack.push(fieldOf(parent, value, name));
  return names.length;
}

function fieldOf(parent: Located, value: object, name: string): Located {
  if (!isStorable(name)) throw new JsonError({ kind: 'unstorable_name', field: pathOf(parent) });
  const located = { value: (value as Record<string, unknown>)[name], name, parent };
  // joi would silently drop this name.
  if (name === '__proto__') throw new JsonError({ kind: 'reserved_name', field: pathOf(located) });
  return located;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** `to[1].name` */
function pathOf({ name, parent }: Located): string {
  if (parent === null) return '';
  const path = pathOf(parent);
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
