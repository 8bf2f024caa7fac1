import { closestName, type KnownName } from './closest-name.js';

/** @param known the names that are allowed here; empty to suggest none */
export function unknownFieldMessage(name: string, known: readonly KnownName[]): string {
  const match = closestName(name, known);
  return `is not a known field${match ? `. Did you mean ${match}?` : '; remove it or check its spelling'}`;
}
