// Counts the tests of a run and of its second chance: the last line is "N passed, N failed".
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const SKIPPED = ['pending', 'todo', 'skipped'];

const read = (name) => {
  const file = join(process.argv[2], name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : [];
};

const first = read('first.json');
const second = new Map(read('second.json').map((file) => [file.name, file]));
for (const { name, status } of second.values())
  if (status === 'passed') process.stdout.write(`unsteady: ${name} passed only when it ran alone\n`);

const files = first.map((file) => second.get(file.name) ?? file);
const tests = files.flatMap(({ assertionResults }) => assertionResults);
const count = (...wanted) => tests.filter(({ status }) => wanted.includes(status)).length;
// A file that could not even be loaded has no tests to count.
const unloaded = files.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
const failed = count('failed') + unloaded.length;
const skipped = count(...SKIPPED);
for (const { name, assertionResults } of files) {
  const { length } = assertionResults.filter(({ status }) => SKIPPED.includes(status));
  if (length > 0) process.stdout.write(`skipped: ${length} of ${assertionResults.length} in ${relative('.', name)}\n`);
}
process.stdout.write(`${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exit(failed === 0 && tests.length > 0 && files.every(({ status }) => status !== 'failed') ? 0 : 1);
