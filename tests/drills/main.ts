import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { exitCodeOf, parseIds, summaryLines } from '../faults/failures.js';
import { startServers } from '../faults/rig/servers.js';
import { print, runAndPrint } from '../faults/run-and-print.js';
import type { Scenario, ScenarioResult } from '../faults/scenario.js';
import { findObstacle } from '../interop/isolated-package.js';
import { alerts } from './alerts.js';
import { cluster } from './cluster.js';
import { deploys } from './deploys.js';
import { failoverDrills } from './failover.js';
import { pgBouncerDrills } from './pgbouncer.js';
import { restore } from './restore.js';
import { sentinel } from './sentinel.js';

const drills: readonly Scenario[] = [
  deploys,
  alerts,
  restore,
  ...failoverDrills,
  ...pgBouncerDrills,
  sentinel,
  cluster,
];
/** Drills whose servers and tools are installed with apt-get in a temporary copy of the file system. */
const isolated: ReadonlySet<Scenario> = new Set([deploys, alerts, ...pgBouncerDrills]);

const USAGE = `Usage: npm run drills -- [options]

Rehearses operations with real servers and tools. HAProxy, PgBouncer and promtool are installed with apt-get in a
temporary copy of the file system.

  --only alerts    run only these drills, out of ${drills.map(({ id }) => id).join(', ')}
  --seed N         repeat an earlier run; without it, every run draws a new seed
  --help           print this text

Exit codes: 0 if all held, 1 if any broke a promise, 2 if they cannot run, 3 if some only missed a time limit.
`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const chosen = parseIds([values.only ?? '']);
const toRun = drills.filter(({ id }) => chosen.length === 0 || chosen.includes(id));
const unknown = chosen.filter((id) => !drills.some((drill) => drill.id === id));
const missing = toRun.some((drill) => isolated.has(drill)) ? findObstacle() : null;
const obstacle = unknown.length > 0 ? `No such drill: ${unknown.join(', ')}.\n\n${USAGE}` : missing;
if (obstacle !== null) {
  process.stderr.write(`The drills cannot run. ${obstacle}\n`);
  process.exit(2);
}
const seed = Number(values.seed ?? randomInt(100_000_000));
print(`seed ${seed} (repeat with --seed ${seed})`);
print(`${cpus().length} cores, Node ${process.version}, ${new Date().toISOString()}`);

const servers = await startServers();
const results: ScenarioResult[] = [];
try {
  for (const drill of toRun) {
    const reason = drill.skip?.();
    if (reason) {
      print(`${drill.id.padEnd(4)} SKIPPED: ${reason}`);
      continue;
    }
    results.push(await runAndPrint(servers, drill, { seed, scale: 1 }));
  }
} finally {
  await servers.close();
}
for (const line of summaryLines(results)) print(line);
process.exit(exitCodeOf(results));
