import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile } from '@posthorn/testing';
import { expectInTime } from '../../rig/failures.js';
import type { LoadOptions, Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilDelivering } from '../../rig/until.js';

type InjectedFault = { readonly name: string; readonly inject: (rig: Rig) => Promise<void> };

const TWO_OF_EACH = { apis: 2, workers: 2 } as const;

const BEHAVIOURS = ['ok', 'ok', 'ok', 'ok', 'late.200', 'tempfail.1', 'datatemp.1', 'reject', 'dropdot.1'] as const;

const faults = {
  worker: { name: 'kill -9 worker', inject: (rig) => rig.random.pick(asChoices(rig.workers)).kill() },
  api: { name: 'kill -9 API', inject: (rig) => rig.random.pick(asChoices(rig.apis)).kill() },
  redis: {
    name: 'kill -9 Redis',
    inject: (rig) => rig.servers.crashRedis({ downMs: rig.random.between(0, 2_000) }),
  },
  flush: { name: 'FLUSHALL', inject: async (rig) => void (await rig.ctx.redis.flushall().catch(() => {})) },
  postgres: { name: 'immediate shutdown of Postgres', inject: (rig) => rig.servers.crashPostgres() },
  redisFrozen: {
    name: 'Redis frozen',
    async inject({ servers, random }) {
      servers.proxies.redis.pause();
      await sleep(random.between(1_000, 6_000));
      servers.proxies.redis.restore();
    },
  },
  smtpCut: {
    name: 'mail server drops connections',
    async inject({ smtp, random }) {
      await smtp.dropConnections();
      await sleep(random.between(500, 4_000));
      await smtp.restore();
    },
  },
  postgresSlow: {
    name: 'slow connection to Postgres',
    async inject({ servers, random }) {
      servers.proxies.postgres.delay(random.between(20, 200));
      await sleep(random.between(1_000, 4_000));
      servers.proxies.postgres.restore();
    },
  },
  postgresHalfOpen: {
    name: 'half-open connections to Postgres',
    async inject({ servers }) {
      servers.proxies.postgres.freezeOpen();
    },
  },
} as const satisfies Record<string, InjectedFault>;

function asChoices<T>(list: readonly T[]): readonly [T, ...T[]] {
  return list as readonly [T, ...T[]];
}

function toText(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

async function injectFaults(
  rig: Rig,
  sequence: Iterable<InjectedFault>,
  pauseMs: () => number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const fault of sequence) {
    await sleep(pauseMs());
    await fault.inject(rig);
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
  }
  return counts;
}

/**
 * Nearly as much load as two workers can handle; a worker delivers at most seven emails of one workspace at a time. The
 * mail server is slow, as servers on the internet are, but only before the message. If it were slow after the final
 * dot, any sender that crashed during that time could cause a second copy.
 */
function nearlyFullLoad({ loadRandom }: Rig): LoadOptions {
  return { inFlight: 8, behaviour: () => `slow.${loadRandom.between(250, 750)}`, pauseMs: 270 };
}

const WORKER_KILLS = 20;
/** If there is more than one second copy per five kills, the time during which a kill can cause one has grown. */
const MAX_COPIES_PER_KILL = 0.2;

/** A mix of the faults with which the guarantees are measured, under constant load. */
export const storm: Scenario = {
  id: 'storm',
  fault:
    'kill -9 of workers, API processes and Redis, FLUSHALL and immediate shutdowns of Postgres, mixed, under constant load',
  options: TWO_OF_EACH,
  // A worker that dies holds up to seven emails, but rarely one that is between its final dot and its handoff marker.
  maxSecondCopies: (scale) => Math.ceil(WORKER_KILLS * scale * MAX_COPIES_PER_KILL),
  async run(rig, scale) {
    const times = (count: number, fault: InjectedFault) =>
      Array.from({ length: Math.ceil(count * scale) }, () => fault);
    const all = [
      ...times(WORKER_KILLS, faults.worker),
      ...times(20, faults.api),
      ...times(10, faults.redis),
      ...times(5, faults.flush),
      ...times(5, faults.postgres),
    ];
    const mixed = all
      .map((fault) => ({ fault, order: rig.random.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ fault }) => fault);
    const counts = await rig.whileSending(
      () => injectFaults(rig, mixed, () => rig.random.between(200, 1_000)),
      nearlyFullLoad(rig),
    );
    await untilDelivering(rig);
    const p99 = getPercentile(
      rig.client.journal.entries.filter(({ status }) => status === 503).map(({ ms }) => ms),
      0.99,
    );
    return {
      figures: toText(counts),
      failures: expectInTime((p99 ?? 0) < 1_000, `the p99 of the 503s was ${p99} ms`),
    };
  },
};

/** F34: random faults for as long as you like. */
export function soak(ms: number): Scenario {
  return {
    id: 'F34',
    fault: `a random fault every few seconds for ${Math.round(ms / 60_000)} minutes, with recipients of every behaviour`,
    options: TWO_OF_EACH,
    // Some connections break before the 250 is sent, so the number of second copies has no limit.
    maxSecondCopies: () => Number.POSITIVE_INFINITY,
    async run(rig) {
      const until = Date.now() + ms;
      function* chosen(): Generator<InjectedFault> {
        while (Date.now() < until) yield rig.random.pick(asChoices(Object.values(faults)));
      }
      const load = { inFlight: 4, behaviour: () => rig.loadRandom.pick(BEHAVIOURS) };
      const counts = await rig.whileSending(
        () => injectFaults(rig, chosen(), () => rig.random.between(2_000, 8_000)),
        load,
      );
      await untilDelivering(rig);
      return { figures: toText(counts) };
    },
  };
}
