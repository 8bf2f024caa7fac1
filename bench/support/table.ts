import type { Figure } from './figure.js';

export type Row = Readonly<Record<string, string | number | Figure>>;

/** Formats rows as aligned columns. The names in the first row become the headings. */
export function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => toText(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')).join('\n');
}

function toText(cell: Row[string] | undefined): string {
  return typeof cell === 'object' ? cell.text : String(cell ?? '');
}
