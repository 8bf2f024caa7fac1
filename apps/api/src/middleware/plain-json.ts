import { invalid, limits } from '@posthorn/domain';

type Node = { readonly value: unknown; readonly field: string; readonly depth: number };

const UNSTORABLE = 'must not hold U+0000 or half of a surrogate pair';

/**
 * Refuses what validation or Postgres would trip over later: nesting that overflows a stack, and
 * text that Postgres cannot hold (U+0000, halves of surrogate pairs). Iterative on purpose.
 * @throws Refusal validation_failed
 */
export function assertPlain(body: unknown): void {
  const rest: Node[] = [{ value: body, field: '', depth: 1 }];
  let count = 0;
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    count += 1;
    if (count > limits.jsonNodes.max) fail('', `must hold at most ${limits.jsonNodes.max} values`);
    if (node.depth > limits.jsonDepth.max) fail('', `must be nested at most ${limits.jsonDepth.max} deep`);
    if (typeof node.value === 'string') assertStorable(node.value, node.field, UNSTORABLE);
    rest.push(...childrenOf(node));
  }
}

function childrenOf({ value, field, depth }: Node): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.map((child, index) => ({ value: child, field: `${field}[${index}]`, depth: depth + 1 }));
  }
  return Object.entries(value).map(([key, child]) => {
    assertStorable(key, field, `has a key that ${UNSTORABLE}`);
    const path = field === '' ? key : `${field}.${key}`;
    // joi would drop it without a word.
    if (key === '__proto__') fail(path, 'is not allowed as a name; choose another one');
    return { value: child, field: path, depth: depth + 1 };
  });
}

function assertStorable(text: string, field: string, message: string): void {
  if (text.includes('\0') || !text.isWellFormed()) fail(field, message);
}

function fail(field: string, message: string): never {
  throw invalid({ field, message });
}
