// Counts the tests of a run, and of a second run of the files that failed in it. The last line is "N passed, N failed".
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const MAX_UNSTEADY = 2;
const SKIPPED = ['pending', 'todo', 'skipped'];

const first = read('first.json');
const second = new Map(read('second.json').map((file) => [file.name, file]));
const files = first.map((file) => second.get(file.name) ?? file);

const unsteady = first.flatMap((file) => unsteadyTests(file, second.get(file.name)));
for (const test of unsteady) print(`flaky: ${test} failed, then passed in the second run`);
if (unsteady.length > MAX_UNSTEADY) print(`${unsteady.length} flaky tests; at most ${MAX_UNSTEADY} are tolerated`);

for (const { name, assertionResults } of files) {
  const { length } = assertionResults.filter(({ status }) => SKIPPED.includes(status));
  if (length > 0) print(`skipped: ${length} of ${assertionResults.length} in ${relative('.', name)}`);
}

const tests = files.flatMap(({ assertionResults }) => assertionResults);
const failed = count('failed') + files.filter(isUnloaded).length;
const skipped = count(...SKIPPED);
if (skipped > 0) print(`${skipped} skipped`);
print(`${count('passed')} passed, ${failed} failed`);

const isClean = tests.length > 0 && files.every(({ status }) => status !== 'failed');
process.exit(isClean && unsteady.length <= MAX_UNSTEADY ? 0 : 1);

function read(name) {
  const path = join(process.argv[2], name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : [];
}

/** Names of the tests that failed in the first run and passed in the second. */
function unsteadyTests(file, again) {
  if (again === undefined) return [];
  const path = relative('.', file.name);
  if (isUnloaded(file)) return again.status === 'passed' ? [path] : [];
  const passed = new Set(
    again.assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
  );
  const lost = file.assertionResults.filter((test) => test.status === 'failed' && passed.has(test.fullName));
  // The file may have failed outside its tests, for example in a hook.
  if (lost.length === 0 && again.status === 'passed') return [path];
  return lost.map((test) => `${path}: ${test.fullName}`);
}

/** A file that could not be loaded has no tests to count. */
function isUnloaded({ status, assertionResults }) {
  return status === 'failed' && assertionResults.length === 0;
}

function count(...wanted) {
  return tests.filter(({ status }) => wanted.includes(status)).length;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
