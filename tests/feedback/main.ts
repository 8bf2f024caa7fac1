import { parseArgs } from 'node:util';
import { readMutatedReports } from './read-mutated-reports.js';

/** npm run test:reports -- --seed 7 --reports 100000 */
const { values } = parseArgs({ options: { seed: { type: 'string' }, reports: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const started = Date.now();
const run = await readMutatedReports({ seed, reports: Number(values.reports ?? 20_000) });
for (const failure of run.failures.slice(0, 20)) print(`FAILED ${failure}`);
print(
  `${run.reports} reports, ${run.read} still readable, slowest ${run.slowestMs} ms, heap ${run.heapMb.join(' ')} MB`,
);
print(`${run.failures.length} failures, ${Math.round((Date.now() - started) / 1_000)} s (repeat with --seed ${seed})`);
process.exitCode = run.failures.length === 0 ? 0 : 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
