import { JsonError } from './json-error.js';
import type { JsonLimits } from './json-limits.js';

/** A value and where it is. The path is written only if there is a fault, because most bodies have none. */
type Node = { readonly value: unknown; readonly name: string | number; readonly parent: Node | null };

/**
 * Refuses what would break validation or Postgres later: too many values or names, text that Postgres cannot store, and
 * the name __proto__. Not recursive, because a deep value would overflow the stack.
 * @returns the total number of members in all objects
 * @throws JsonError
 */
export function checkValues(
  body: unknown,
  { maxValues, maxFields }: Pick<JsonLimits, 'maxValues' | 'maxFields'>,
): number {
  const rest: Node[] = [{ value: body, name: '', parent: null }];
  let [values, members] = [0, 0];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    values += 1;
    if (values > maxValues) throw new JsonError({ kind: 'too_many_values' });
    const { value } = node;
    if (typeof value === 'string') assertStorable(value, node);
    else if (Array.isArray(value)) addItems(rest, node, value);
    else if (typeof value === 'object' && value !== null) members += addMembers(rest, node, value, maxFields);
  }
  return members;
}

function assertStorable(text: string, node: Node): void {
  if (!isStorable(text)) throw new JsonError({ kind: 'unstorable', field: pathOf(node) });
}

function addItems(rest: Node[], parent: Node, items: readonly unknown[]): void {
  for (let index = 0; index < items.length; index += 1) rest.push({ value: items[index], name: index, parent });
}

function addMembers(rest: Node[], parent: Node, value: object, maxFields: number): number {
  const names = Object.keys(value);
  if (names.length > maxFields)
    throw new JsonError({ kind: 'too_many_fields', field: pathOf(parent), names: names.length });
  for (const name of names) rest.push(memberOf(parent, value, name));
  return names.length;
}

function memberOf(parent: Node, value: object, name: string): Node {
  if (!isStorable(name)) throw new JsonError({ kind: 'unstorable_name', field: pathOf(parent) });
  const node = { value: (value as Record<string, unknown>)[name], name, parent };
  // joi would drop it silently.
  if (name === '__proto__') throw new JsonError({ kind: 'reserved_name', field: pathOf(node) });
  return node;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** `to[1].name` */
function pathOf({ name, parent }: Node): string {
  if (parent === null) return '';
  const path = pathOf(parent);
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
