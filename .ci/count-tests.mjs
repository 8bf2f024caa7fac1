// Counts the tests of a Jest report. The last line is "N passed, N failed".
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SKIPPED = ['pending', 'todo', 'skipped'];

const { testResults: files } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

for (const { name, assertionResults } of files) {
  const { length } = assertionResults.filter(({ status }) => SKIPPED.includes(status));
  if (length > 0) print(`skipped: ${length} of ${assertionResults.length} in ${relative('.', name)}`);
}

const tests = files.flatMap(({ assertionResults }) => assertionResults);
// A file may fail outside its tests, for example because it cannot be loaded or leaves a connection open.
const failedFiles = files.filter(({ status }) => status === 'failed');
const failedElsewhere = failedFiles.filter(({ assertionResults }) => !assertionResults.some(isFailed));
for (const { name } of failedFiles) print(`failed: ${relative('.', name)}`);

const failed = tests.filter(isFailed).length + failedElsewhere.length;
const skipped = count(...SKIPPED);
if (skipped > 0) print(`${skipped} skipped`);
print(`${count('passed')} passed, ${failed} failed`);
process.exit(tests.length > 0 && failed === 0 ? 0 : 1);

function isFailed({ status }) {
  return status === 'failed';
}

function count(...wanted) {
  return tests.filter(({ status }) => wanted.includes(status)).length;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
