// Prints where the time of a test run went. First `npm test -- --json --outputFile=report.json`, then
// `npm run test:times -- report.json`. Columns, in seconds: the whole file; loading it and what it imports; opening and
// closing databases, servers and browsers; the CPU time of the test's process; the total without that CPU time, in which it
// waited for timers and other processes. Loading and opening contain both. Lists the 40 slowest files.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const FILES = 40;
const COLUMNS = ['total', 'loading', 'opening', 'working', 'waiting'];

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const files = testResults.map(({ name, startTime, endTime, assertionResults }) => {
  const total = endTime - startTime;
  const { loading = 0, opening = 0, working = 0 } = assertionResults[0]?.fileTimes ?? {};
  return { name: relative('.', name), total, loading, opening, working, waiting: Math.max(0, total - working) };
});
files.sort((a, b) => b.total - a.total);

print(COLUMNS.map((column) => column.padStart(9)).join(''));
for (const file of files.slice(0, FILES)) print(`${toColumns(file)}  ${file.name}`);
const sum = Object.fromEntries(COLUMNS.map((column) => [column, files.reduce((all, file) => all + file[column], 0)]));
print(`${toColumns(sum)}  all ${files.length} files`);

function toColumns(times) {
  return COLUMNS.map((column) => (times[column] / 1_000).toFixed(1).padStart(9)).join('');
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
