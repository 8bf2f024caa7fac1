import { formatCount, invalid, limits } from '@posthorn/domain';

type Node = { readonly value: unknown; readonly field: string };

const UNSTORABLE = 'contains a NUL character or an unpaired surrogate; remove it';

/**
 * Refuses what would break validation or Postgres later: too many values, text that Postgres cannot store, and the
 * name __proto__. Not recursive, because a deep value would overflow the stack.
 * @returns the total number of members in all objects
 * @throws Refusal validation_failed
 */
export function checkJson(body: unknown): number {
  const rest: Node[] = [{ value: body, field: '' }];
  let [values, members] = [0, 0];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    values += 1;
    if (values > limits.jsonNodes.max)
      fail('', `has too many values; the limit is ${formatCount(limits.jsonNodes.max)}`);
    if (typeof node.value === 'string') assertStorable(node.value, node.field, UNSTORABLE);
    const children = childrenOf(node);
    if (!Array.isArray(node.value)) members += children.length;
    rest.push(...children);
  }
  return members;
}

function childrenOf({ value, field }: Node): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.map((child, index) => ({ value: child, field: `${field}[${index}]` }));
  }
  return Object.entries(value).map(([key, child]) => {
    assertStorable(key, field, `has a name that ${UNSTORABLE}`);
    const path = field === '' ? key : `${field}.${key}`;
    // joi would drop it silently.
    if (key === '__proto__') fail(path, 'is a reserved name; choose another');
    return { value: child, field: path };
  });
}

function assertStorable(text: string, field: string, message: string): void {
  if (text.includes('\0') || !text.isWellFormed()) fail(field, message);
}

function fail(field: string, message: string): never {
  throw invalid({ field, message });
}
