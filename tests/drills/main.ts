import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { parseIds, summaryLines, toExitCode } from '../rig/failures.js';
import { findObstacle } from '../rig/isolated-package.js';
import { print, runAndPrint } from '../rig/report.js';
import type { Scenario, ScenarioResult } from '../rig/scenario.js';
import { startServers } from '../rig/servers.js';
import { alerts } from './alerts.js';
import { cluster } from './cluster.js';
import { deploys } from './deploys.js';
import { failoverDrills } from './failover.js';
import { pgBouncerDrills } from './pgbouncer.js';
import { restore } from './restore.js';
import { sentinel } from './sentinel.js';
import { upgrade } from './upgrade.js';

/** What .ci/run rehearses: one drill for each part that can fail, and only those that install nothing. */
const SHORT = ['failover', 'sentinel', 'restore', 'upgrade'];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    from: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Their servers and tools are installed with apt-get, in a temporary copy of the file system. */
const withPackages: readonly Scenario[] = [deploys, alerts, ...pgBouncerDrills];
const drills: readonly Scenario[] = [
  ...withPackages,
  ...failoverDrills,
  sentinel,
  cluster,
  restore,
  upgrade(values.from),
];

const USAGE = `Usage: npm run drills -- [options]

Rehearses operations with real servers and tools. HAProxy, PgBouncer and promtool are installed with apt-get in a
temporary copy of the file system.

  --only alerts    run only these drills, out of ${drills.map(({ id }) => id).join(', ')}
  --short          run only ${SHORT.join(', ')}, as .ci/run does
  --from COMMIT    for upgrade, the older version; by default, the last release, or the commit before this one
  --seed N         repeat an earlier run; without it, every run draws a new seed
  --help           print this text

Exit codes: 0 if all held, 1 if any broke a promise, 2 if they cannot run, 3 if some only missed a time limit.
`;

if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const chosen = parseIds([values.only ?? (values.short ? SHORT.join() : '')]);
const unknown = chosen.filter((id) => !drills.some((drill) => drill.id === id));
if (unknown.length > 0) stop(`No such drill: ${unknown.join(', ')}.\n\n${USAGE}`);
const toRun = drills.filter(({ id }) => chosen.length === 0 || chosen.includes(id));
const obstacle = toRun.some((drill) => withPackages.includes(drill)) ? findObstacle() : null;
if (obstacle !== null) stop(obstacle);
const seed = Number(values.seed ?? randomInt(100_000_000));
print(`seed ${seed} (repeat with --seed ${seed})`);
print(`${cpus().length} cores, Node ${process.version}, ${new Date().toISOString()}`);

const servers = await startServers();
const results: ScenarioResult[] = [];
try {
  for (const drill of toRun) {
    const reason = drill.skip?.();
    if (reason) print(`${drill.id.padEnd(4)} SKIPPED: ${reason}`);
    else results.push(await runAndPrint(servers, drill, { seed, scale: 1 }));
  }
} finally {
  await servers.close();
}
for (const line of summaryLines(results)) print(line);
process.exit(toExitCode(results));

function stop(why: string): never {
  process.stderr.write(`The drills cannot run. ${why}\n`);
  process.exit(2);
}
