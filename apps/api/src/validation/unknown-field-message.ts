import { closestNames, type KnownName } from './closest-names.js';

/** @param known the names that are allowed here; empty to suggest none */
export function unknownFieldMessage(name: string, known: readonly KnownName[]): string {
  const matches = closestNames(name, known);
  if (matches.length === 0) return 'is not a known field; remove it or check its spelling';
  return `is not a known field. Did you mean ${matches.join(' or ')}?`;
}
