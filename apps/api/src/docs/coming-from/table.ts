import type { Block } from '../section.js';

/** @param rows their cells, separated by ` | ` */
export function table(head: readonly string[], rows: readonly string[]): Block {
  return { head, rows: rows.map((row) => ({ cells: row.split(' | ') })) };
}
