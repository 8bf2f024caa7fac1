import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { parseIds, summaryLines, toExitCode } from '../rig/failures.js';
import { findObstacle } from '../rig/isolated-package.js';
import { print, runAndPrint } from '../rig/report.js';
import type { ScenarioResult } from '../rig/scenario.js';
import { startServers } from '../rig/servers.js';
import { directScenario } from './direct-scenario.js';
import { mailServerScenario } from './mail-server-scenario.js';
import { exim } from './servers/exim.js';
import { opensmtpd } from './servers/opensmtpd.js';
import { postfix } from './servers/postfix.js';
import { type ForwardingPorts, type RunningMailServer, startMailServer } from './start-mail-server.js';

const mailServers = [postfix, exim, opensmtpd];

const USAGE = `Usage: npm run test:interop -- [options]

Delivers mail through real mail servers, as relays and as the recipients' own, installed with apt-get in a copy of the file system that only they see.

  --only postfix   run only the given servers, out of ${mailServers.map(({ packageName }) => packageName).join(', ')}
  --direct         run only the part in which mail goes straight to the servers, without a relay
  --help           print this text

Exit codes: 0 if all passed, 1 if any broke a promise, 2 if the tests cannot run, 3 if some only missed a time limit.
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    direct: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const chosen = parseIds([values.only ?? '']);
const unknown = chosen.filter((name) => !mailServers.some(({ packageName }) => packageName === name));
const obstacle =
  unknown.length > 0 ? `No such mail server: ${unknown.join(', ')}.\n\n${USAGE}` : findObstacle(['openssl']);
if (obstacle !== null) {
  process.stderr.write(`The interop tests cannot run. ${obstacle}\n`);
  process.exit(2);
}

const servers = await startServers();
const results: ScenarioResult[] = [];
try {
  for (const mailServer of mailServers) {
    const { packageName } = mailServer;
    if (chosen.length > 0 && !chosen.includes(packageName)) continue;
    print(`Installing ${packageName}. This may take a minute.`);
    const started: RunningMailServer[] = [];
    const start = (isMx: boolean) => async (ports: ForwardingPorts) => {
      const running = await startMailServer(mailServer, ports, { isMx });
      started.push(running);
      return running;
    };
    const scenarios = [mailServerScenario(mailServer, start(false)), directScenario(mailServer, start(true))];
    for (const scenario of values.direct ? scenarios.slice(1) : scenarios)
      results.push(await runAndPrint(servers, scenario, { seed: randomInt(1_000_000), scale: 1 }));
    for (const running of started) await running.close();
  }
} finally {
  await servers.close();
}
for (const line of summaryLines(results)) print(line);
process.exit(toExitCode(results));
