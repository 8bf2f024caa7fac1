import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Row, table } from './table.js';

const FOLDER = join(import.meta.dirname, '../results');

export type Results = {
  readonly rows: readonly Row[];
  readonly ratios?: Row;
  /** Rounds, sizes and versions of the run. */
  readonly settings: Readonly<Record<string, string | number>>;
};

/**
 * Prints a table and writes it to bench/results/<bench>.json, with all samples, the machine and the commit. The file
 * keeps the other parts of the bench from earlier runs. The results behind docs/performance.md are kept in
 * bench/documented.
 */
export function report(bench: string, part: string, { rows, ratios, settings }: Results): void {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
  process.stdout.write(
    `\n${bench}, ${part} on ${machine}\n\n${table(rows)}\n${ratios ? `\n${table([ratios])}\n` : ''}`,
  );
  const file = join(FOLDER, `${bench}.json`);
  mkdirSync(FOLDER, { recursive: true });
  const parts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  parts[part] = { machine, at: new Date().toISOString(), commit: commit(), settings, rows, ratios };
  // Samples go on one line.
  const json = JSON.stringify(parts, null, 2).replace(/\[[^[\]{}]+\]/g, (list) => list.replace(/\s+/g, ' '));
  writeFileSync(file, `${json}\n`);
}

/** The current commit, such as `21cd119`, with `-dirty` if files have changed. Null outside a repository. */
function commit(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const isDirty = git('status', '--porcelain').trim() !== '';
    return `${git('rev-parse', '--short', 'HEAD').trim()}${isDirty ? '-dirty' : ''}`;
  } catch {
    return null;
  }
}
