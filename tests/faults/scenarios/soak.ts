import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '@posthorn/testing';
import type { Load, Rig } from '../rig/open-rig.js';
import { untilDelivering } from '../rig/settle.js';
import { expectThat, type Scenario } from '../scenario.js';

type Blow = { readonly name: string; readonly strike: (rig: Rig) => Promise<void> };

const PAIR = { apis: 2, workers: 2 } as const;

const BEHAVIOURS = ['ok', 'ok', 'ok', 'ok', 'late.200', 'tempfail.1', 'datatemp.1', 'reject', 'dropdot.1'] as const;

const blows = {
  worker: { name: 'kill -9 worker', strike: (rig) => rig.random.pick(asChoices(rig.workers)).kill() },
  api: { name: 'kill -9 API', strike: (rig) => rig.random.pick(asChoices(rig.apis)).kill() },
  redis: {
    name: 'kill -9 Redis',
    strike: (rig) => rig.servers.crashRedis({ downMs: rig.random.between(0, 2_000) }),
  },
  flush: { name: 'FLUSHALL', strike: async (rig) => void (await rig.ctx.redis.flushall().catch(() => {})) },
  postgres: { name: 'immediate stop of Postgres', strike: (rig) => rig.servers.crashPostgres() },
  redisFrozen: {
    name: 'Redis frozen',
    async strike({ servers, random }) {
      servers.wires.redis.pause();
      await sleep(random.between(1_000, 6_000));
      servers.wires.redis.mend();
    },
  },
  smtpCut: {
    name: 'mail server cut off',
    async strike({ smtp, random }) {
      await smtp.cutOff();
      await sleep(random.between(500, 4_000));
      await smtp.mend();
    },
  },
  postgresSlow: {
    name: 'slow wire to Postgres',
    async strike({ servers, random }) {
      servers.wires.postgres.delay(random.between(20, 200));
      await sleep(random.between(1_000, 4_000));
      servers.wires.postgres.mend();
    },
  },
  postgresHalfOpen: {
    name: 'connections to Postgres half open',
    async strike({ servers }) {
      servers.wires.postgres.freezeOpen();
    },
  },
} as const satisfies Record<string, Blow>;

function asChoices<T>(list: readonly T[]): readonly [T, ...T[]] {
  return list as readonly [T, ...T[]];
}

function toText(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

async function strike(rig: Rig, sequence: Iterable<Blow>, pauseMs: () => number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const blow of sequence) {
    await sleep(pauseMs());
    await blow.strike(rig);
    counts.set(blow.name, (counts.get(blow.name) ?? 0) + 1);
  }
  return counts;
}

/**
 * Two workers with nearly eight sends each in flight (of one workspace a worker delivers seven at most): a server
 * that takes its time, as those of the internet do, and nearly as much mail as they can take. It thinks before
 * the message: what it thinks after the final dot is time in which a second copy can arise, whoever delivers.
 */
function fullHands({ randomOfLoad }: Rig): Load {
  return { inFlight: 8, behaviour: () => `slow.${randomOfLoad.between(250, 750)}`, pauseMs: 270 };
}

/** The blows that the guarantees are measured by, mixed, under continuous load. */
export const storm: Scenario = {
  id: 'storm',
  fault: 'kill -9 of workers, APIs and Redis, FLUSHALL, immediate stops of Postgres: mixed, under continuous load',
  options: PAIR,
  // Each worker that dies holds seven emails, of which hardly one is past its final dot.
  mostCopies: (scale) => Math.ceil(scale),
  async run(rig, scale) {
    const times = (count: number, blow: Blow) => Array.from({ length: Math.ceil(count * scale) }, () => blow);
    const all = [
      ...times(20, blows.worker),
      ...times(20, blows.api),
      ...times(10, blows.redis),
      ...times(5, blows.flush),
      ...times(5, blows.postgres),
    ];
    const mixed = all
      .map((blow) => ({ blow, order: rig.random.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ blow }) => blow);
    const counts = await rig.whileSending(
      () => strike(rig, mixed, () => rig.random.between(200, 1_000)),
      fullHands(rig),
    );
    await untilDelivering(rig);
    const p99 = percentile(
      rig.client.journal.entries.filter(({ status }) => status === 503).map(({ ms }) => ms),
      0.99,
    );
    return {
      figures: toText(counts),
      violations: expectThat((p99 ?? 0) < 1_000, `p99 of the 503s was ${p99} ms`),
    };
  },
};

/** F34: any fault at any time, for as long as is asked for. */
export function soak(ms: number): Scenario {
  return {
    id: 'F34',
    fault: `a random fault every few seconds for ${Math.round(ms / 60_000)} minutes, with mail of every kind`,
    options: PAIR,
    // Some links break in place of the 250: as many as there are marks.
    mostCopies: () => Number.POSITIVE_INFINITY,
    async run(rig) {
      const until = Date.now() + ms;
      function* chosen(): Generator<Blow> {
        while (Date.now() < until) yield rig.random.pick(asChoices(Object.values(blows)));
      }
      const load = { inFlight: 4, behaviour: () => rig.randomOfLoad.pick(BEHAVIOURS) };
      const counts = await rig.whileSending(() => strike(rig, chosen(), () => rig.random.between(2_000, 8_000)), load);
      await untilDelivering(rig);
      return { figures: toText(counts) };
    },
  };
}
