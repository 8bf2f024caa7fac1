import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Row, table } from './table.js';

/**
 * Prints a table and writes it to bench/results as JSON, with all samples, the settings and the commit. The results
 * behind docs/performance.md are kept in bench/documented.
 * @param settings rounds, sizes and versions of the run
 */
export function report(
  name: string,
  rows: readonly Row[],
  ratios?: Row,
  settings: Readonly<Record<string, string | number>> = {},
): void {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
  process.stdout.write(`\n${name} on ${machine}\n\n${table(rows)}\n${ratios ? `\n${table([ratios])}\n` : ''}`);
  const folder = join(import.meta.dirname, '../results');
  mkdirSync(folder, { recursive: true });
  const results = { name, machine, at: new Date().toISOString(), commit: commit(), settings, rows, ratios };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
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
