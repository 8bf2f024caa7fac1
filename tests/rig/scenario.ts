import { expectThat, type Failure, listWaitFailures, toFailure } from './failures.js';
import { openRig, type Rig, type RigOptions } from './open-rig.js';
import { type OracleResult, runOracles } from './oracles.js';
import { type Servers, startServers } from './servers.js';
import type { SmallDisk } from './small-disk.js';
import { untilSettled } from './until.js';

/** One way to break the service. */
export type Scenario = {
  /** F and a number, or a name. */
  readonly id: string;
  /** What breaks, as a phrase. */
  readonly fault: string;
  readonly options?: RigOptions;
  /** How many second copies this fault may cause; 0 if omitted. */
  readonly maxSecondCopies?: (scale: number) => number;
  /**
   * Injects the fault under load.
   * @param scale 1 for a full run; less for a short one
   * @returns failures that the oracles do not look for, and figures worth printing
   */
  readonly run: (rig: Rig, scale: number, disk: SmallDisk | null) => Promise<ScenarioOutcome>;
  /** Set if the scenario needs its own servers, with Postgres's data on this disk. */
  readonly disk?: () => SmallDisk;
  /** Set if the scenario needs its own servers, with a synchronous standby of Postgres. */
  readonly withStandby?: boolean;
  /** @returns why the scenario cannot run on this machine; null if it can */
  readonly skip?: () => string | null;
};

export type ScenarioOutcome = { readonly failures?: readonly Failure[]; readonly figures?: string };

export type ScenarioResult = OracleResult & { readonly id: string; readonly fault: string; readonly figures: string };

type ScenarioOptions = { readonly seed: number; readonly scale: number };

/** Runs a scenario on a fresh service, then checks what happened to the mail. */
export async function runScenario(
  servers: Servers,
  scenario: Scenario,
  options: ScenarioOptions,
): Promise<ScenarioResult> {
  const { withStandby } = scenario;
  if (!scenario.disk && !withStandby) return runOn(servers, scenario, options, null);
  const disk = scenario.disk?.() ?? null;
  const ownServers = await startServers({ postgresDisk: disk?.folder, withStandby });
  try {
    return await runOn(ownServers, scenario, options, disk);
  } finally {
    await ownServers.close();
    disk?.unmount();
  }
}

async function runOn(
  servers: Servers,
  scenario: Scenario,
  { seed, scale }: ScenarioOptions,
  disk: SmallDisk | null,
): Promise<ScenarioResult> {
  const { id, fault } = scenario;
  const opened = await openRig(servers, id, seed, scenario.options).catch(toFailure);
  if ('kind' in opened) return { ...NOTHING_HAPPENED, id, fault, figures: '', failures: [opened] };
  const rig = opened;
  try {
    const { failures = [], figures = '' } = await scenario.run(rig, scale, disk).catch(toScenarioOutcome);
    const unsettled = await listWaitFailures(() => untilSettled(rig));
    const oracles = await runOracles(rig);
    const limit = scenario.maxSecondCopies?.(scale) ?? 0;
    const tooMany = expectThat(
      oracles.secondCopies <= limit,
      `${oracles.secondCopies} second copies; the limit is ${limit}`,
    );
    return { ...oracles, id, fault, figures, failures: [...failures, ...unsettled, ...oracles.failures, ...tooMany] };
  } finally {
    await rig.close();
  }
}

/** What the oracles would report about a service that did not start. */
const NOTHING_HAPPENED: OracleResult = {
  accepted: 0,
  lost: 0,
  secondCopies: 0,
  ambiguous: 0,
  overCap: 0,
  recoveryMs: 0,
  p99Of503Ms: null,
  failures: [],
};

function toScenarioOutcome(error: unknown): ScenarioOutcome {
  return { failures: [toFailure(error)] };
}
