import { setTimeout as sleep } from 'node:timers/promises';
import type { Rig } from '../rig/open-rig.js';
import { LEASE_SECONDS } from '../rig/open-rig.js';
import { until, untilSettled } from '../rig/settle.js';
import { expectThat, type Scenario } from '../scenario.js';

/** One worker dies at each of these steps, in turn, with eight emails in hand. */
async function dieAt(rig: Rig, steps: readonly string[]): Promise<void> {
  const [worker] = rig.workers;
  for (const step of steps) {
    await worker?.arm(`${step}@20:kill`);
    await rig.sendMany(40);
    await worker?.died();
    await untilSettled(rig);
  }
}

/** Half of it is past its final dot, unanswered, whenever a worker stops. */
const mixedLoad = { behaviour: alternate(['ok', 'late.400']) };

function alternate(behaviours: readonly string[]): () => string {
  let count = 0;
  return () => behaviours[count++ % behaviours.length] ?? 'ok';
}

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
    async run(rig) {
      // One email at a time, so that no other is past its final dot when the worker dies.
      await dieAt(rig, ['after_claim', 'before_data']);
      return {};
    },
    options: { env: { WORKER_CONCURRENCY: '1' } },
  },
  {
    id: 'F5',
    fault: 'kill -9 of the worker after it has sent: after the last byte, after the 250, after the note',
    async run(rig) {
      await dieAt(rig, ['after_data', 'after_reply', 'after_note', 'after_outcome']);
      return { figures: '4 kills, 8 emails in hand at each' };
    },
  },
  {
    id: 'F6',
    fault: 'SIGTERM to a worker with 20 emails in hand',
    options: { env: { WORKER_CONCURRENCY: '25' } },
    async run(rig) {
      await rig.sendMany(20, { inFlight: 20, behaviour: 'late.3000' });
      await until('the server has 20 messages', () => rig.smtp.ledger.entries.length === 20);
      const [worker] = rig.workers;
      const end = (await worker?.stop()) ?? { code: null, ms: 0 };
      const ambiguous = await countOutcomes(rig, 'ambiguous');
      return {
        figures: `exit code ${end.code} after ${(end.ms / 1_000).toFixed(1)} s`,
        violations: [
          ...expectThat(end.code === 0, `the worker ended with ${end.code}`),
          ...expectThat(end.ms < 30_000, `the worker took ${end.ms} ms to stop`),
          ...expectThat(ambiguous === 0, `${ambiguous} attempts were left ambiguous`),
        ],
      };
    },
  },
  {
    id: 'F7',
    fault: 'a worker frozen (SIGSTOP) for three leases, then thawed: a zombie',
    options: { workers: 2 },
    async run(rig, scale) {
      const [zombie] = rig.workers;
      await rig.whileSending(async () => {
        for (let freeze = 0; freeze < Math.ceil(3 * scale); freeze += 1) {
          zombie?.signal('SIGSTOP');
          await sleep(LEASE_SECONDS * 3_000);
          zombie?.signal('SIGCONT');
          await sleep(1_000);
        }
      }, mixedLoad);
      return {};
    },
  },
  {
    id: 'F8',
    fault: 'the event loop of a worker blocked for three leases before the first byte',
    options: { workers: 2, env: { WORKER_CONCURRENCY: '1' } },
    async run(rig) {
      await rig.workers[0]?.arm(`before_data@5:block:${LEASE_SECONDS * 3_000}`);
      await rig.sendMany(40);
      return {};
    },
  },
];
