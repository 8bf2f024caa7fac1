// Prints the test files that failed in a Jest report, one per line.
import { readFileSync } from 'node:fs';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { name, status } of testResults) if (status === 'failed') process.stdout.write(`${name}\n`);
