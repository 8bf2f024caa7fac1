import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '@posthorn/testing';
import { newIdempotencyKey } from '../rig/client.js';
import type { Rig } from '../rig/open-rig.js';
import { untilDelivering } from '../rig/until.js';
import { readUsageCounters, setMonthlyCap } from '../rig/usage-counters.js';
import { expectThat, type Scenario } from '../scenario.js';

/** Nobody should wait longer for an answer while Redis is away; the contract says a second. */
const MAX_RESPONSE_MS = 1_000;

/** Redis is away as `away` says for `ms` under load; the slowest answers of that time are the figure. */
async function sendWithout(rig: Rig, ms: number, away: { begin: () => void; end: () => void }) {
  await rig.sendMany(10);
  const from = rig.client.journal.entries.length;
  away.begin();
  await rig.whileSending(() => sleep(ms));
  const answers = rig.client.journal.entries.slice(from);
  away.end();
  const back = await untilDelivering(rig);
  const p99 = percentile(
    answers.map((answer) => answer.ms),
    0.99,
  );
  const refused = answers.filter(({ status }) => status !== 202).length;
  return {
    figures: `away ${ms / 1_000} s: ${answers.length - refused} accepted, p99 ${Math.round(p99 ?? 0)} ms; delivering ${(back / 1_000).toFixed(1)} s after`,
    violations: [
      ...expectThat(refused === 0, `${refused} sends were not accepted while Redis was away`),
      ...expectThat((p99 ?? 0) < MAX_RESPONSE_MS, `p99 of the answers was ${p99} ms`),
    ],
  };
}

/** While Redis is away the ledger alone guards caps and keys. */
async function raceForCap(rig: Rig) {
  const { used } = await readUsageCounters(rig);
  await setMonthlyCap(rig, used + 51);
  const key = newIdempotencyKey();
  const to = ['ok-same@rig.test'];
  const same = await Promise.all(Array.from({ length: 30 }, () => rig.client.post(rig.requestTo('ok', { key, to }))));
  const answers = await rig.sendMany(100, { inFlight: 50 });
  const accepted = answers.filter(({ status }) => status === 202).length;
  const bodies = new Set(same.map(({ body }) => body));
  return {
    figures: `${accepted} of 100 accepted where 50 were left, ${bodies.size} answer to one key`,
    violations: [
      ...expectThat(accepted === 50, `${accepted} were accepted where 50 were left`),
      ...expectThat(bodies.size === 1, `one key had ${bodies.size} answers`),
    ],
  };
}

export const redisScenarios: readonly Scenario[] = [
  {
    id: 'F9',
    fault: 'kill -9 of Redis, which has no persistence, under load',
    options: { apis: 2, workers: 2 },
    async run(rig, scale) {
      const kills = Math.ceil(10 * scale);
      await rig.whileSending(async () => {
        for (let kill = 0; kill < kills; kill += 1) {
          await sleep(rig.random.between(300, 900));
          await rig.servers.crashRedis({ downMs: rig.random.between(0, 1_000) });
        }
      });
      await untilDelivering(rig);
      return { figures: `${kills} kills` };
    },
  },
  {
    id: 'F10',
    fault: 'kill -9 of Redis with an append-only file, under load',
    async run(rig, scale) {
      await rig.servers.crashRedis({ persistent: true });
      const kills = Math.ceil(5 * scale);
      await rig.whileSending(async () => {
        for (let kill = 0; kill < kills; kill += 1) {
          await sleep(rig.random.between(500, 1_200));
          await rig.servers.crashRedis({ persistent: true, downMs: 300 });
        }
      });
      await untilDelivering(rig);
      await rig.servers.crashRedis();
      return { figures: `${kills} kills` };
    },
  },
  {
    id: 'F11',
    fault: 'FLUSHALL under load, with a cap and with keys',
    options: { apis: 2, workers: 2 },
    async run(rig, scale) {
      await setMonthlyCap(rig, 400);
      const flushes = Math.ceil(5 * scale);
      const flushing = async () => {
        for (let flush = 0; flush < flushes; flush += 1) {
          await sleep(rig.random.between(200, 600));
          await rig.ctx.redis.flushall();
        }
      };
      const [answers] = await Promise.all([rig.sendMany(500), flushing()]);
      const accepted = answers.filter(({ status }) => status === 202).length;
      return {
        figures: `${flushes} flushes; cap 400, ${accepted} accepted`,
        violations: expectThat(accepted === 400, `${accepted} of 500 were accepted at a cap of 400`),
      };
    },
  },
  {
    id: 'F12',
    fault: 'Redis gives no answer on open connections for a minute, and is cut off',
    options: { apis: 2 },
    async run(rig, scale) {
      const proxy = rig.servers.proxies.redis;
      const frozen = await sendWithout(rig, 60_000 * scale, { begin: () => proxy.pause(), end: () => proxy.restore() });
      const cut = await sendWithout(rig, 15_000 * scale, { begin: () => proxy.cut(), end: () => proxy.restore() });
      proxy.cut();
      const limits = await raceForCap(rig);
      proxy.restore();
      return {
        figures: `frozen: ${frozen.figures}; cut: ${cut.figures}; ${limits.figures}`,
        violations: [...frozen.violations, ...cut.violations, ...limits.violations],
      };
    },
  },
  {
    id: 'F13',
    fault: 'the reply of the gate is lost after its script ran',
    async run(rig, scale) {
      await setMonthlyCap(rig, 10_000);
      await rig.sendMany(5);
      let dropped = 0;
      for (let drop = 0; drop < Math.ceil(10 * scale); drop += 1) {
        void rig.servers.proxies.redis.dropReplyTo(/evalsha/i).then(() => {
          dropped += 1;
        });
        await rig.sendMany(5, { inFlight: 1 });
      }
      const { reserved, used } = await readUsageCounters(rig);
      return {
        figures: `${dropped} replies lost; the gate counts ${reserved}, the ledger ${used}`,
        violations: [
          ...expectThat(dropped > 0, 'no reply was lost'),
          ...expectThat(
            (reserved ?? 0) <= used,
            `the gate counts ${reserved}, the ledger ${used}: a send was reserved twice`,
          ),
        ],
      };
    },
  },
  {
    id: 'F14',
    fault: 'Redis refuses writes: its memory is full',
    async run(rig, scale) {
      await rig.sendMany(10);
      const lines = countLines(rig);
      const seconds = 10 * scale;
      await rig.ctx.redis.config('SET', 'maxmemory', '1');
      await rig.whileSending(() => sleep(seconds * 1_000), { inFlight: 4 });
      const perSecond = (countLines(rig) - lines) / seconds;
      await rig.ctx.redis.config('SET', 'maxmemory', '0');
      await untilDelivering(rig);
      return {
        figures: `${perSecond.toFixed(1)} log lines/s`,
        violations: expectThat(perSecond < 100, `${perSecond} log lines a second`),
      };
    },
  },
  {
    id: 'F15',
    fault: 'Redis is set to evict what it holds',
    async run(rig) {
      await rig.ctx.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const processes = [...rig.apis, ...rig.workers];
      for (const supervised of processes) await supervised.kill();
      await rig.sendMany(20);
      await rig.ctx.redis.config('SET', 'maxmemory-policy', 'noeviction');
      const warned = processes.filter(({ lines }) => lines.some((line) => line.includes('"redis_may_evict"')));
      return {
        figures: `${warned.length} of ${processes.length} processes warned`,
        violations: expectThat(warned.length === processes.length, 'a process said nothing of it'),
      };
    },
  },
];

function countLines({ apis, workers }: Rig): number {
  return [...apis, ...workers].reduce((sum, { lines }) => sum + lines.length, 0);
}
