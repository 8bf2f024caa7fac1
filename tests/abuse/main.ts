import { parseArgs } from 'node:util';
import { openStack } from '../../bench/support/stack.js';
import { MAIL_BOMBING, runMailBombing } from './attacks/mail-bombing.js';
import { runAttacks } from './attacks/run-attacks.js';
import { runReportFlood } from './attacks/run-report-flood.js';
import { runWebhookAttacks } from './attacks/run-webhook-attacks.js';
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
const seconds = Number(values.seconds);

const stack = await openStack();
try {
  const failures = [
    ...(only === 'attacks' ? [] : await searchCosts(stack, values.route)),
    ...(only === 'costs' ? [] : await runAttacks(stack, { seconds, name: attack })),
    ...(only === 'costs' || !MAIL_BOMBING.includes(attack) ? [] : await runMailBombing(stack, { seconds })),
    ...(only === 'costs' || !'report flood'.includes(attack) ? [] : await runReportFlood(stack, { seconds })),
    ...(only === 'costs' ? [] : await runWebhookAttacks(stack, { seconds, name: attack })),
  ];
  for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await stack.close();
}
