import { parseArgs } from 'node:util';
import { openStack } from '../../bench/support/stack.js';
import { runAttacks } from './attacks/run-attacks.js';
import { searchCosts } from './costs/search-costs.js';

/** npm run test:abuse -- --only attacks --seconds 5 --attack "9 MB of text", or --only costs --route "GET /api/v1/emails" */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    attack: { type: 'string', default: '' },
    route: { type: 'string', default: '' },
  },
});
const { only, attack } = values;

const stack = await openStack();
try {
  const failures = [
    ...(only === 'attacks' ? [] : await searchCosts(stack, values.route)),
    ...(only === 'costs' ? [] : await runAttacks(stack, { seconds: Number(values.seconds), name: attack })),
  ];
  for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await stack.close();
}
