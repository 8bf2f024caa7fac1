import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile } from '@posthorn/testing';
import { newIdempotencyKey } from '../../rig/client.js';
import { expectInTime, expectThat } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilDelivering } from '../../rig/until.js';
import { readUsageCounters, setMonthlyCap } from '../../rig/usage-counters.js';

/** The limit for the p99 of response times while Redis is down. */
const MAX_RESPONSE_MS = 1_000;
const MAX_LOG_LINES_PER_SECOND = 100;

/** Sends under load while Redis is unavailable for `ms`, and measures the responses during that time. */
async function sendDuringOutage(rig: Rig, ms: number, outage: { begin: () => void; end: () => void }) {
  await rig.sendMany(10);
  const from = rig.client.journal.entries.length;
  outage.begin();
  await rig.whileSending(() => sleep(ms));
  const responses = rig.client.journal.entries.slice(from);
  outage.end();
  const recoveryMs = await untilDelivering(rig);
  const p99 = getPercentile(
    responses.map((response) => response.ms),
    0.99,
  );
  const timedOut = responses.filter((response) => response.timedOut).length;
  const refused = responses.filter(({ status }) => status !== 202).length - timedOut;
  return {
    figures: `${ms / 1_000} s: ${responses.length - refused - timedOut} accepted, p99 ${Math.round(p99 ?? 0)} ms, delivering again after ${(recoveryMs / 1_000).toFixed(1)} s`,
    failures: [
      ...expectThat(refused === 0, `${refused} sends were not accepted while Redis was down`),
      ...expectInTime(timedOut === 0, `${timedOut} sends timed out while Redis was down`),
      ...expectInTime((p99 ?? 0) < MAX_RESPONSE_MS, `the p99 of the responses was ${p99} ms`),
    ],
  };
}

/** While Redis is down, only Postgres enforces caps and idempotency keys. */
async function raceForCap(rig: Rig) {
  const { used } = await readUsageCounters(rig);
  await setMonthlyCap(rig, used + 51);
  const key = newIdempotencyKey();
  const to = ['ok-same@rig.test'];
  const same = await Promise.all(Array.from({ length: 30 }, () => rig.client.send(rig.requestTo('ok', { key, to }))));
  const responses = await rig.sendMany(100, { inFlight: 50 });
  const accepted = responses.filter(({ status }) => status === 202).length;
  const bodies = new Set(same.map(({ body }) => body));
  return {
    figures: `${accepted} of 100 accepted with 50 left under the cap; ${bodies.size} response for one key`,
    failures: [
      ...expectThat(accepted === 50, `${accepted} sends were accepted; the cap had room for 50`),
      ...expectThat(bodies.size === 1, `one idempotency key got ${bodies.size} different responses`),
    ],
  };
}

export const redisScenarios: readonly Scenario[] = [
  {
    id: 'F9',
    fault: 'kill -9 of a Redis without persistence, under load',
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
    fault: 'kill -9 of a Redis with an append-only file, under load',
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
    fault: 'FLUSHALL under load, with a cap and idempotency keys',
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
      const [responses] = await Promise.all([rig.sendMany(500), flushing()]);
      const accepted = responses.filter(({ status }) => status === 202).length;
      return {
        figures: `${flushes} flushes; cap 400, ${accepted} accepted`,
        failures: expectThat(accepted === 400, `${accepted} of 500 were accepted at a cap of 400`),
      };
    },
  },
  {
    id: 'F12',
    fault: 'Redis does not answer on open connections for a minute; then Redis is cut off',
    options: { apis: 2 },
    async run(rig, scale) {
      const proxy = rig.servers.proxies.redis;
      const frozen = await sendDuringOutage(rig, 60_000 * scale, {
        begin: () => proxy.pause(),
        end: () => proxy.restore(),
      });
      const cut = await sendDuringOutage(rig, 15_000 * scale, { begin: () => proxy.cut(), end: () => proxy.restore() });
      proxy.cut();
      const limits = await raceForCap(rig);
      proxy.restore();
      return {
        figures: `frozen for ${frozen.figures}; cut off for ${cut.figures}; ${limits.figures}`,
        failures: [...frozen.failures, ...cut.failures, ...limits.failures],
      };
    },
  },
  {
    id: 'F13',
    fault: 'the reply to the admission check is lost after its script has run',
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
        figures: `${dropped} replies lost; Redis counts ${reserved} sends, Postgres ${used}`,
        failures: [
          ...expectThat(dropped > 0, 'no reply was lost'),
          ...expectThat(
            (reserved ?? 0) <= used,
            `Redis counts ${reserved} sends, Postgres ${used}: a send was reserved twice`,
          ),
        ],
      };
    },
  },
  {
    id: 'F14',
    fault: 'Redis refuses writes because its memory is full',
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
        figures: `${perSecond.toFixed(1)} log lines per second`,
        failures: expectThat(
          perSecond < MAX_LOG_LINES_PER_SECOND,
          `${perSecond} log lines per second; the limit is ${MAX_LOG_LINES_PER_SECOND}`,
        ),
      };
    },
  },
  {
    id: 'F15',
    fault: 'Redis is configured to evict keys',
    async run(rig) {
      await rig.ctx.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const processes = [...rig.apis, ...rig.workers];
      for (const supervised of processes) await supervised.kill();
      await rig.sendMany(20);
      await rig.ctx.redis.config('SET', 'maxmemory-policy', 'noeviction');
      const warned = processes.filter(({ lines }) => lines.some((line) => line.includes('"redis_may_evict"')));
      return {
        figures: `${warned.length} of ${processes.length} processes warned`,
        failures: expectThat(warned.length === processes.length, 'a process did not log a warning'),
      };
    },
  },
];

/** Leaves out lines about attempts, because their number depends on the load and not on the fault. */
function countLines({ apis, workers }: Rig): number {
  return [...apis, ...workers].flatMap(({ lines }) => lines.filter((line) => !line.includes('"attempt_ended"'))).length;
}
