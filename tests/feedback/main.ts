import { parseArgs } from 'node:util';
import { measureOddReports } from './odd-reports.js';
import { compareWithOracles } from './oracles/compare-with-oracles.js';
import { readMutatedReports } from './read-mutated-reports.js';

/** npm run test:reports -- --seed 7 --reports 100000; it then measures how many odd reports are read a second */
/** Longer than any report should take, so that a pattern that backtracks is found. */
const MAX_PARSE_MS = 1_000;
/** From the second measurement, when the parser is warm, to the last. */
const MAX_GROWTH = 1.5;

/** So that a flood of odd reports leaves time for those of others. */
const MIN_PER_SECOND = 50;
const SHOWN_SPEEDS = 5;

const { values } = parseArgs({ options: { seed: { type: 'string' }, reports: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const started = Date.now();
const run = await readMutatedReports({ seed, reports: Number(values.reports ?? 20_000) });
print(
  `${run.reports} reports, ${run.read} still readable, slowest ${run.slowestMs} ms, heap ${run.heapMb.join(' ')} MB`,
);
const [first = 0] = run.heapMb.slice(1);
const last = run.heapMb.at(-1) ?? 0;
if (last > first * MAX_GROWTH) run.failures.push(`the heap grew from ${first} to ${last} MB`);
if (run.slowestMs > MAX_PARSE_MS) run.failures.push(`a report took ${run.slowestMs} ms`);
const speeds = await measureOddReports();
for (const [name, perSecond] of speeds.slice(0, SHOWN_SPEEDS)) print(`${perSecond} a second: ${name}`);
for (const [name, perSecond] of speeds)
  if (perSecond < MIN_PER_SECOND)
    run.failures.push(`${name}: ${perSecond} reports a second; ${MIN_PER_SECOND} are required`);
run.failures.push(...(await compareWithOracles(print)));
for (const failure of run.failures.slice(0, 20)) print(`FAILED ${failure}`);
print(`${run.failures.length} failures, ${Math.round((Date.now() - started) / 1_000)} s (repeat with --seed ${seed})`);
process.exitCode = run.failures.length === 0 ? 0 : 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
