import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@posthorn/testing';
import { expectInTime, expectThat, type Failure } from '../../rig/failures.js';
import { LEASE_SECONDS, type Rig } from '../../rig/open-rig.js';
import { countSecondCopies } from '../../rig/oracles.js';
import type { Scenario, ScenarioOutcome } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';

/** A supervisor may kill a worker that takes longer. */
const MAX_STOP_MS = 30_000;

type Death = { readonly failpoint: string; readonly label: string; readonly maxCopies: number };

/** Kills the worker at each failpoint in turn, and counts the second copies that each death causes. */
async function killAt(rig: Rig, deaths: readonly Death[]): Promise<ScenarioOutcome> {
  const [worker] = rig.workers;
  const failures: Failure[] = [];
  const figures: string[] = [];
  for (const { failpoint, label, maxCopies } of deaths) {
    const before = countSecondCopies(rig);
    await worker?.restartWithFailpoint(`${failpoint}@20:kill`);
    // The next email starts while an outcome is being recorded. The slow RCPT keeps that email from reaching its final
    // dot before the worker dies.
    await rig.sendMany(40, { behaviour: 'slow.100' });
    await worker?.untilKilledByFailpoint();
    await untilSettled(rig);
    const copies = countSecondCopies(rig) - before;
    figures.push(`${label} ${copies}`);
    failures.push(...expectThat(copies <= maxCopies, `a death ${label} caused ${copies} second copies`));
  }
  return { failures, figures: `second copies: ${figures.join(', ')}` };
}

/** With one slot, no other email can be past its final dot when the worker dies. */
const ONE_AT_A_TIME = { env: { WORKER_CONCURRENCY: '1' } } as const;

async function countOutcomes(rig: Rig, outcome: string): Promise<number> {
  const { rows } = await rig.ctx.db.raw('select count(*)::int as n from delivery_attempts where outcome = ?', [
    outcome,
  ]);
  return rows[0].n;
}

export const workerScenarios: readonly Scenario[] = [
  {
    id: 'F4',
    fault: 'kill -9 of the worker before it sends: after the claim, before the first byte',
    options: ONE_AT_A_TIME,
    run: (rig) =>
      killAt(rig, [
        { failpoint: 'after_claim', label: 'after the claim', maxCopies: 0 },
        { failpoint: 'before_data', label: 'before the first byte', maxCopies: 0 },
      ]),
  },
  {
    id: 'F5',
    fault: 'kill -9 of the worker after the last byte, the 250, the handoff marker or the recorded outcome',
    options: ONE_AT_A_TIME,
    maxSecondCopies: () => 2,
    run: (rig) =>
      killAt(rig, [
        { failpoint: 'after_data', label: 'after the last byte', maxCopies: 1 },
        { failpoint: 'after_reply', label: 'after the 250', maxCopies: 1 },
        { failpoint: 'after_marker', label: 'after the handoff marker', maxCopies: 0 },
        { failpoint: 'after_outcome', label: 'after recording', maxCopies: 0 },
      ]),
  },
  {
    id: 'F6',
    fault: 'SIGTERM to a worker that holds 20 emails',
    options: { env: { WORKER_CONCURRENCY: '25' } },
    async run(rig) {
      await rig.sendMany(20, { inFlight: 20, behaviour: 'late.3000' });
      await until('the server has 20 messages', () => rig.smtp.handoffs.length === 20);
      const [worker] = rig.workers;
      const exit = (await worker?.stop()) ?? { code: null, ms: 0 };
      const isInTime = exit.ms < MAX_STOP_MS;
      const ambiguous = await countOutcomes(rig, 'ambiguous');
      return {
        figures: `exit code ${exit.code} after ${(exit.ms / 1_000).toFixed(1)} s`,
        failures: [
          ...expectInTime(isInTime, `the worker took ${exit.ms} ms to stop`),
          // A worker that takes too long is killed, which explains its exit code and ambiguous attempts.
          ...expectThat(exit.code === 0 || !isInTime, `the worker exited with ${exit.code}`),
          ...expectThat(ambiguous === 0 || !isInTime, `${ambiguous} attempts were left ambiguous`),
        ],
      };
    },
  },
  {
    id: 'F7',
    fault: 'a worker with claimed emails is frozen (SIGSTOP) for three lease periods, then resumed',
    options: { workers: 2 },
    // A freeze may happen between the final dot of an email and the reply.
    maxSecondCopies: (scale) => Math.ceil(3 * scale),
    async run(rig, scale) {
      const [frozen] = rig.workers;
      const freezes = Math.ceil(3 * scale);
      // The worker spends nearly all its time before the first byte, where it must notice that its lease has expired.
      await rig.whileSending(
        async () => {
          for (let freeze = 0; freeze < freezes; freeze += 1) {
            await sleep(1_000);
            frozen?.signal('SIGSTOP');
            await sleep(LEASE_SECONDS * 3_000);
            frozen?.signal('SIGCONT');
          }
          await sleep(1_000);
        },
        { behaviour: () => 'slow.500', pauseMs: 300 },
      );
      await untilSettled(rig, 120_000);
      const reclaimed = await countOutcomes(rig, 'ambiguous');
      return {
        figures: `${freezes} freezes, ${reclaimed} emails taken over`,
        failures: expectInTime(reclaimed > 0, 'the frozen worker held no email in any of the freezes'),
      };
    },
  },
  {
    id: 'F8',
    fault: 'the event loop of a worker is blocked for three lease periods right before the first byte',
    options: { workers: 2, ...ONE_AT_A_TIME },
    async run(rig) {
      const [frozen] = rig.workers;
      await frozen?.restartWithFailpoint(`before_data@3:block:${LEASE_SECONDS * 3_000}`);
      await rig.sendMany(40);
      const isBlocked = () => frozen?.lines.some((line) => line.startsWith('failpoint before_data')) ?? false;
      await until('the worker is blocked', isBlocked);
      await untilSettled(rig);
      // By then, the worker is running again and has had the chance to send a second copy.
      await sleep(LEASE_SECONDS * 3_000 + 1_000);
      return {};
    },
  },
];
