import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** One line of a report: figures by name. */
export type Row = Readonly<Record<string, string | number>>;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** `3,430 (3,270-3,660)`: the median with its range, for machines are noisy. */
export function spread(values: readonly number[]): string {
  const text = (value: number) => Math.round(value).toLocaleString('en-US');
  return `${text(median(values))} (${text(Math.min(...values))}-${text(Math.max(...values))})`;
}

/** Prints the table and writes the same as JSON to bench/results. */
export function report(name: string, rows: readonly Row[], ratios?: Row): void {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
  process.stdout.write(`\n${name} on ${machine}\n\n${table(rows)}\n${ratios ? `\n${table([ratios])}\n` : ''}`);
  const folder = join(import.meta.dirname, '../results');
  mkdirSync(folder, { recursive: true });
  const results = { name, machine, at: new Date().toISOString(), rows, ratios };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')).join('\n');
}
