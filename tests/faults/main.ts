import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseIds, summaryLines, toExitCode } from '../rig/failures.js';
import { print, runAndPrint, toTable } from '../rig/report.js';
import type { Scenario, ScenarioResult } from '../rig/scenario.js';
import { ROOT, startServers } from '../rig/servers.js';
import { scenarios } from './scenarios/index.js';
import { soak } from './scenarios/soak.js';

const SHORT = {
  ids: ['F1', 'F4', 'F5', 'F9', 'F11', 'F16', 'F22', 'F23', 'F25', 'F29', 'F30', 'F44', 'F45'],
  scale: 0.2,
};

const USAGE = `Usage: npm run test:faults -- [options]

Without options, runs every scenario.

  --only F4,F9   run only these scenarios
  --short        run ${SHORT.ids.length} scenarios, or those of --only, with fewer emails and faults, as .ci/run does
  --scale X      share of a full run's emails and faults (default: 1, or ${SHORT.scale} with --short)
  --seed N       repeat the faults of an earlier run; without it, every run draws a new seed
  --minutes N    run the soak test, F34: random faults for N minutes
  --help         print this text

Exit codes: 0 if all scenarios held, 1 if any broke a promise, 2 for a bad option, 3 if some only missed a time limit.
`;

const MAX_SEED = 100_000_000;

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    scale: { type: 'string' },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  // A list pasted as `--only F4, F9` arrives as two arguments.
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const seed = values.seed === undefined ? randomInt(MAX_SEED) : toNumber('--seed', values.seed);
const defaultScale = values.short ? SHORT.scale : 1;
const scale = values.scale === undefined ? defaultScale : toNumber('--scale', values.scale);
const chosen = chooseScenarios();

const seedLine = `seed ${seed} (repeat with --seed ${seed})`;
print(seedLine);
print(`scale ${scale}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString()}`);

const servers = await startServers();
const results: ScenarioResult[] = [];
try {
  for (const scenario of chosen) {
    const reason = scenario.skip?.();
    if (reason) {
      print(`${scenario.id.padEnd(4)} SKIPPED: ${reason}`);
      continue;
    }
    results.push(await runAndPrint(servers, scenario, { seed, scale }));
  }
} finally {
  await servers.close();
}

const folder = join(ROOT, 'bench/results');
mkdirSync(folder, { recursive: true });
// A partial run must not overwrite the results of a full one.
const name = chosen === scenarios ? 'faults' : 'faults-some';
const at = new Date().toISOString();
writeFileSync(join(folder, `${name}.json`), JSON.stringify({ at, seed, scale, results }, null, 2));
writeFileSync(join(folder, `${name}.md`), toTable(results));
for (const line of summaryLines(results)) print(line);
print(seedLine);
process.exit(toExitCode(results));

function chooseScenarios(): readonly Scenario[] {
  if (values.minutes !== undefined) return [soak(toNumber('--minutes', values.minutes) * 60_000)];
  const given = parseIds([...(values.only === undefined ? [] : [values.only]), ...positionals]);
  if (values.only !== undefined && given.length === 0) fail('--only needs the id of at least one scenario.');
  const ids = given.length === 0 && values.short ? SHORT.ids : given;
  if (ids.length === 0) return scenarios;
  const unknown = ids.filter((id) => !scenarios.some((scenario) => scenario.id === id));
  if (unknown.length > 0) fail(`No such scenario: ${unknown.join(', ')}.`);
  return scenarios.filter(({ id }) => ids.includes(id));
}

function toNumber(option: string, text: string): number {
  const number = Number(text);
  if (text === '' || Number.isNaN(number)) fail(`${option} must be a number, not \`${text}\`.`);
  return number;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}
