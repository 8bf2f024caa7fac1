import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@posthorn/testing';
import type { SendRequest } from '../../rig/client.js';
import { expectThat } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { readUsageCounters, setMonthlyCap } from '../../rig/usage-counters.js';

const acceptSteps = [
  'before_admission',
  'after_admission',
  'before_commit',
  'after_commit',
  'after_announce',
  'before_response',
] as const;

/** Kills the API in turn at each step of accepting emails, each time with several requests under way. */
async function killAtEachStep(rig: Rig, { withKeys }: { withKeys: boolean }): Promise<void> {
  const [api] = rig.apis;
  for (const step of acceptSteps) {
    await api?.restartWithFailpoint(`${step}@2:kill`);
    await rig.sendMany(20, withKeys ? {} : { more: { key: null } });
    await api?.untilKilledByFailpoint();
  }
}

const BATCH = 10;

/** A request for a batch whose emails all have recipients of their own. */
function batchRequestTo(rig: Rig, more?: Partial<SendRequest>): SendRequest {
  const others = Array.from({ length: BATCH - 1 }, () => rig.requestTo('ok').to[0] as string);
  return rig.requestTo('ok', { others, ...more });
}

/** Kills the API in turn at each step of accepting emails, while batches and single sends share its groups. */
async function killDuringBatches(rig: Rig): Promise<void> {
  const [api] = rig.apis;
  for (const step of acceptSteps) {
    await api?.restartWithFailpoint(`${step}@2:kill`);
    let left = 12;
    const batches = rig.client.load(6, () => (left-- > 0 ? batchRequestTo(rig, left % 2 ? { key: null } : {}) : null));
    await rig.sendMany(6, { inFlight: 2 });
    await batches;
    await api?.untilKilledByFailpoint();
  }
}

/** @returns how many batches of the journal are stored, and how many of those lack some of their emails */
async function countBatches({ ctx, client }: Rig): Promise<{ stored: number; incomplete: number }> {
  const { rows } = await ctx.db.raw('select address from email_recipients');
  const addresses = new Set((rows as Array<{ address: string }>).map(({ address }) => address));
  const batches = new Map(
    client.journal.entries
      .filter(({ others }) => others.length > 0)
      .map(({ to, others }) => [String(to), [...to, ...others]] as const),
  );
  const counts = [...batches.values()].map((batch) => batch.filter((address) => addresses.has(address)).length);
  const stored = counts.filter((count) => count > 0);
  return { stored: stored.length, incomplete: stored.filter((count) => count < BATCH).length };
}

/** Measures how soon the sends that dead processes had reserved become available again. */
async function timeRefund(rig: Rig): Promise<string> {
  const { reserved, used } = await readUsageCounters(rig);
  const startedAt = performance.now();
  await until(
    'the admission check counts what Postgres counts',
    async () => {
      const now = await readUsageCounters(rig);
      return now.reserved === null || now.reserved === now.used;
    },
    90_000,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return `sends still reserved in Redis: ${(reserved ?? used) - used}, released after ${seconds.toFixed(0)} s`;
}

export const apiScenarios: readonly Scenario[] = [
  {
    id: 'F1',
    fault: 'kill -9 of the API at each step of accepting an email; the client retries with its key',
    async run(rig, scale) {
      await setMonthlyCap(rig, 10_000);
      await killAtEachStep(rig, { withKeys: true });
      const { rows } = await rig.ctx.db.raw('select count(*)::int as emails from emails');
      const wanted = acceptSteps.length * 20;
      const refund = scale < 1 ? '' : `; ${await timeRefund(rig)}`;
      return {
        figures: `${wanted} keys, ${rows[0].emails} emails${refund}`,
        failures: expectThat(rows[0].emails === wanted, `${wanted} keys made ${rows[0].emails} emails`),
      };
    },
  },
  {
    id: 'F2',
    fault: 'kill -9 of the API at each step of accepting an email; the client has no key and does not retry',
    async run(rig) {
      await killAtEachStep(rig, { withKeys: false });
      const unanswered = rig.client.journal.entries.filter(({ status }) => status === null).length;
      return { figures: `${unanswered} requests without a response` };
    },
  },
  {
    id: 'F3',
    fault: 'kill -9 of random API processes under load',
    options: { apis: 2 },
    async run(rig, scale) {
      const kills = Math.ceil(20 * scale);
      await rig.whileSending(async () => {
        for (let kill = 0; kill < kills; kill += 1) {
          await sleep(rig.random.between(100, 800));
          await rig.apis[kill % rig.apis.length]?.kill();
        }
      });
      return { figures: `${kills} kills` };
    },
  },
  {
    id: 'F41',
    fault: 'kill -9 of the API at each step of accepting batches; the clients of half of them have keys and retry',
    async run(rig) {
      await killDuringBatches(rig);
      const { stored, incomplete } = await countBatches(rig);
      const withKeys = acceptSteps.length * 6;
      return {
        figures: `${stored} of ${withKeys * 2} batches are stored`,
        failures: [
          ...expectThat(incomplete === 0, `${incomplete} batches are stored in part`),
          ...expectThat(stored >= withKeys, `${withKeys} batches were sent with keys, but only ${stored} are stored`),
        ],
      };
    },
  },
];
