import { toLine } from './report.js';
import { runScenario, type Scenario, type ScenarioResult } from './scenario.js';
import type { Servers } from './servers.js';

export const print = (line: string) => process.stdout.write(`${line}\n`);

/** Runs a scenario, and prints how it ended and what failed. */
export async function runAndPrint(
  servers: Servers,
  scenario: Scenario,
  options: Parameters<typeof runScenario>[2],
): Promise<ScenarioResult> {
  const result = await runScenario(servers, scenario, options);
  print(toLine(result));
  for (const { kind, sentence } of result.failures)
    print(`     ${kind === 'broken promise' ? 'BROKEN' : 'LATE'}: ${sentence}`);
  return result;
}
