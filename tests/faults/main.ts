import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toLine, toTable } from './report.js';
import { ROOT, startServers } from './rig/servers.js';
import { runScenario, type Scenario, type ScenarioResult } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { soak } from './scenarios/soak.js';

/**
 * npm run test:faults                            every scenario, F1 to F33
 * npm run test:faults -- --only F4,F9            these alone
 * npm run test:faults -- --short                 the form that runs with every change
 * npm run test:faults -- --seed 7 --minutes 10   the soak, F34
 */
const SHORT = {
  ids: ['F1', 'F4', 'F5', 'F9', 'F11', 'F16', 'F22', 'F23', 'F25', 'F29', 'F30'],
  scale: 0.2,
  seed: 42,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    scale: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? (values.short ? SHORT.seed : Date.now() % 1_000_000));
const scale = Number(values.scale ?? (values.short ? SHORT.scale : 1));
const only = values.only?.split(',') ?? (values.short ? SHORT.ids : undefined);
const chosen = chosenScenarios();

const print = (line: string) => process.stdout.write(`${line}\n`);
print(`seed ${seed}, scale ${scale}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString()}`);

const servers = await startServers();
const results: ScenarioResult[] = [];
try {
  for (const scenario of chosen) {
    const reason = scenario.skip?.();
    if (reason) {
      print(`${scenario.id.padEnd(4)} SKIPPED: ${reason}`);
      continue;
    }
    const result = await runScenario(servers, scenario, { seed, scale });
    results.push(result);
    print(toLine(result));
    for (const violation of result.violations) print(`     BROKEN: ${violation}`);
  }
} finally {
  await servers.close();
}

const folder = join(ROOT, 'bench/results');
mkdirSync(folder, { recursive: true });
// A part must not take the place of what was found in all.
const name = chosen === scenarios ? 'faults' : 'faults-some';
const at = new Date().toISOString();
writeFileSync(join(folder, `${name}.json`), JSON.stringify({ at, seed, scale, results }, null, 2));
writeFileSync(join(folder, `${name}.md`), toTable(results));
const broken = results.filter(({ violations }) => violations.length > 0);
print(`${results.length - broken.length} scenarios held, ${broken.length} broke a promise (seed ${seed})`);
process.exit(broken.length === 0 && results.length > 0 ? 0 : 1);

function chosenScenarios(): readonly Scenario[] {
  if (values.minutes !== undefined) return [soak(Number(values.minutes) * 60_000)];
  return only ? scenarios.filter(({ id }) => only.includes(id)) : scenarios;
}
