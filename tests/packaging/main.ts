import { parseArgs } from 'node:util';
import { parseIds } from '../rig/failures.js';
import { findObstacle } from '../rig/isolated-package.js';
import { print } from '../rig/report.js';
import { caddyfile } from './checks/caddyfile.js';
import { dumpPostgres } from './checks/dump-postgres.js';
import { readOnlyRoot } from './checks/read-only-root.js';

const checks = [caddyfile, dumpPostgres, readOnlyRoot];

const USAGE = `Usage: npm run test:packaging -- [options]

Tries the parts of deploy/ with real programs, installed with apt-get in a copy of the file system that only they see.

  --only caddyfile   run only these checks, out of ${checks.map(({ id }) => id).join(', ')}
  --help             print this text

Exit codes: 0 if all passed, 1 if any failed, 2 if they cannot run.
`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const chosen = parseIds([values.only ?? '']);
const unknown = chosen.filter((id) => !checks.some((check) => check.id === id));
const obstacle = unknown.length > 0 ? `No such check: ${unknown.join(', ')}.\n\n${USAGE}` : findObstacle();
if (obstacle !== null) {
  process.stderr.write(`The checks cannot run. ${obstacle}\n`);
  process.exit(2);
}

let failed = 0;
for (const { id, title, run } of checks) {
  if (chosen.length > 0 && !chosen.includes(id)) continue;
  try {
    print(`ok      ${title} (${await run()})`);
  } catch (error) {
    failed += 1;
    print(`FAILED  ${title}\n${error instanceof Error ? error.message : error}`);
  }
}
process.exit(failed > 0 ? 1 : 0);
