import type { Block } from '../section.js';

/** @param rows the cells of each row, separated by ` | ` */
export function table(head: readonly string[], rows: readonly string[]): Block {
  return { head, rows: rows.map((row) => ({ cells: row.split(' | ') })) };
}
