import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_SECONDS, type Rig } from '../rig/open-rig.js';
import { countSecondCopies } from '../rig/oracles.js';
import { until, untilSettled } from '../rig/until.js';
import { expectThat, type Findings, type Scenario } from '../scenario.js';

/** Steps of a delivery, and how many second copies the death of a worker there may make. */
type Deaths = Readonly<Record<string, number>>;

/** One worker dies at each of these steps, in turn, with one email in hand. */
async function dieAt(rig: Rig, deaths: Deaths): Promise<Findings> {
  const [worker] = rig.workers;
  const violations: string[] = [];
  const figures: string[] = [];
  for (const [step, most] of Object.entries(deaths)) {
    const before = countSecondCopies(rig);
    await worker?.arm(`${step}@20:kill`);
    // While an outcome is recorded the next email is on its way: the server thinks before that one's message.
    await rig.sendMany(40, { behaviour: 'slow.100' });
    await worker?.died();
    await untilSettled(rig);
    const copies = countSecondCopies(rig) - before;
    figures.push(`${step} ${copies}`);
    violations.push(...expectThat(copies <= most, `a death at ${step} made ${copies} second copies`));
  }
  return { violations, figures: `second copies: ${figures.join(', ')}` };
}

/** So that no other email is past its final dot when the worker dies. */
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
    run: (rig) => dieAt(rig, { after_claim: 0, before_data: 0 }),
  },
  {
    id: 'F5',
    fault: 'kill -9 of the worker after it has sent: after the last byte, the 250, the note, the record',
    options: ONE_AT_A_TIME,
    maxSecondCopies: () => 2,
    run: (rig) => dieAt(rig, { after_data: 1, after_reply: 1, after_note: 0, after_outcome: 0 }),
  },
  {
    id: 'F6',
    fault: 'SIGTERM to a worker with 20 emails in hand',
    options: { env: { WORKER_CONCURRENCY: '25' } },
    async run(rig) {
      await rig.sendMany(20, { inFlight: 20, behaviour: 'late.3000' });
      await until('the server has 20 messages', () => rig.smtp.handoffs.length === 20);
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
    fault: 'a worker frozen (SIGSTOP) for three leases with mail in hand, then thawed: a zombie',
    options: { workers: 2 },
    // A freeze may fall between the final dot and the answer of one email.
    maxSecondCopies: (scale) => Math.ceil(3 * scale),
    async run(rig, scale) {
      const [zombie] = rig.workers;
      const freezes = Math.ceil(3 * scale);
      // Nearly all of the time it is before the first byte, where it must find that its lease is gone.
      await rig.whileSending(
        async () => {
          for (let freeze = 0; freeze < freezes; freeze += 1) {
            await sleep(1_000);
            zombie?.signal('SIGSTOP');
            await sleep(LEASE_SECONDS * 3_000);
            zombie?.signal('SIGCONT');
          }
          await sleep(1_000);
        },
        { behaviour: () => 'slow.500', pauseMs: 300 },
      );
      await untilSettled(rig, 120_000);
      const reclaimed = await countOutcomes(rig, 'ambiguous');
      return {
        figures: `${freezes} freezes, ${reclaimed} emails taken over`,
        violations: expectThat(reclaimed > 0, 'the zombie held no mail'),
      };
    },
  },
  {
    id: 'F8',
    fault: 'the event loop of a worker blocked for three leases right before the first byte',
    options: { workers: 2, ...ONE_AT_A_TIME },
    async run(rig) {
      const [zombie] = rig.workers;
      await zombie?.arm(`before_data@3:block:${LEASE_SECONDS * 3_000}`);
      await rig.sendMany(40);
      const isBlocked = () => zombie?.lines.some((line) => line.startsWith('failpoint before_data')) ?? false;
      await until('the worker is blocked', isBlocked);
      await untilSettled(rig);
      // Until it is awake again and has had the chance to do harm.
      await sleep(LEASE_SECONDS * 3_000 + 1_000);
      return {};
    },
  },
];
