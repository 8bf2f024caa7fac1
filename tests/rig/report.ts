import { findFailureKind } from './failures.js';
import { runScenario, type Scenario, type ScenarioResult } from './scenario.js';
import type { Servers } from './servers.js';

/** The result of a scenario as a line for the terminal. */
export function toLine(result: ScenarioResult): string {
  const { id, fault, accepted, lost, secondCopies, ambiguous, overCap, figures } = result;
  const parts = [
    id.padEnd(4),
    { held: 'held  ', 'missed time limit': 'LATE  ', 'broken promise': 'BROKEN' }[findFailureKind(result) ?? 'held'],
    `accepted ${accepted}, lost ${lost}, second copies ${secondCopies}, ambiguous ${ambiguous}, over cap ${overCap}`,
    `recovery ${seconds(result.recoveryMs)}`,
    ...(result.p99Of503Ms === null ? [] : [`p99 of 503 ${Math.round(result.p99Of503Ms)} ms`]),
    ...(figures ? [figures] : []),
  ];
  return `${parts.join('  ')}  (${fault})`;
}

/** The results of all scenarios as a table for the docs. */
export function toTable(results: readonly ScenarioResult[]): string {
  const head =
    '| | fault | accepted | lost | second copies | ambiguous | over cap | recovery | p99 of 503 | seen |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n';
  const rows = results.map((result) => {
    const { id, fault, accepted, lost, secondCopies, ambiguous, overCap, recoveryMs, p99Of503Ms, figures } = result;
    const p99 = p99Of503Ms === null ? '-' : `${Math.round(p99Of503Ms)} ms`;
    const cells = [id, fault, accepted, lost, secondCopies, ambiguous, overCap, seconds(recoveryMs), p99, figures];
    return `| ${cells.join(' | ')} |`;
  });
  return `${head}${rows.join('\n')}\n`;
}

function seconds(ms: number): string {
  return ms === 0 ? '-' : `${(ms / 1_000).toFixed(1)} s`;
}

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
