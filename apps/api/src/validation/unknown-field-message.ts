import { closestNames, type KnownName } from './closest-names.js';

/** What a name stands for: a field of a body, or a parameter of a query string. */
export type NameKind = 'field' | 'query parameter';

/** @param known the names that are allowed here; empty to suggest none */
export function unknownFieldMessage(name: string, known: readonly KnownName[], kind: NameKind): string {
  const matches = closestNames(name, known);
  if (matches.length === 0) return `is not a known ${kind}; remove it or check its spelling`;
  return `is not a known ${kind}. Did you mean ${matches.join(' or ')}?`;
}
