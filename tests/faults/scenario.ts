import { openRig, type Rig, type RigOptions } from './rig/open-rig.js';
import { type OracleResult, runOracles } from './rig/oracles.js';
import { type Servers, startServers } from './rig/servers.js';
import type { SmallDisk } from './rig/small-disk.js';
import { untilSettled } from './rig/until.js';

/** One way to break the service, and what must hold nevertheless. */
export type Scenario = {
  /** F1 to F34, or a word. */
  readonly id: string;
  /** What is broken, as a phrase. */
  readonly fault: string;
  readonly options?: RigOptions;
  /** Second copies that this fault may make at most; none unless it says so. */
  readonly maxSecondCopies?: (scale: number) => number;
  /**
   * Breaks it, under load.
   * @param scale 1 is the full run; a short run asks for less
   * @returns sentences about what was expected beyond the oracles and did not happen, and figures worth printing
   */
  readonly run: (rig: Rig, scale: number, disk: SmallDisk | null) => Promise<Findings>;
  /** Plays on servers of its own, whose data lies on this disk. */
  readonly disk?: () => SmallDisk;
  /** Why it cannot be played here; null when it can. */
  readonly skip?: () => string | null;
};

export type Findings = { readonly violations?: readonly string[]; readonly figures?: string };

export type ScenarioResult = OracleResult & { readonly id: string; readonly fault: string; readonly figures: string };

type Options = { readonly seed: number; readonly scale: number };

/** Plays a scenario on a service of its own and judges what is left of the mail. */
export async function runScenario(servers: Servers, scenario: Scenario, options: Options): Promise<ScenarioResult> {
  if (!scenario.disk) return runOn(servers, scenario, options, null);
  const disk = scenario.disk();
  const own = await startServers(disk.folder);
  try {
    return await runOn(own, scenario, options, disk);
  } finally {
    await own.close();
    disk.unmount();
  }
}

async function runOn(
  servers: Servers,
  scenario: Scenario,
  { seed, scale }: Options,
  disk: SmallDisk | null,
): Promise<ScenarioResult> {
  const rig = await openRig(servers, scenario.id, seed, scenario.options);
  try {
    const { violations = [], figures = '' } = await scenario.run(rig, scale, disk).catch(toFindings);
    const stuck = await untilSettled(rig).then(
      () => [],
      (error: Error) => [error.message],
    );
    const verdict = await runOracles(rig);
    const most = scenario.maxSecondCopies?.(scale) ?? 0;
    const tooMany = expectThat(
      verdict.secondCopies <= most,
      `${verdict.secondCopies} second copies, at most ${most} may be`,
    );
    const all = [...violations, ...stuck, ...verdict.violations, ...tooMany];
    return { ...verdict, id: scenario.id, fault: scenario.fault, figures, violations: all };
  } finally {
    await rig.close();
  }
}

/** A scenario that cannot be played to its end has found something too. */
function toFindings(error: unknown): Findings {
  return { violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
}

/** @returns the sentence when the expectation does not hold */
export function expectThat(holds: boolean, sentence: string): string[] {
  return holds ? [] : [sentence];
}
