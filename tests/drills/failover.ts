import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '@posthorn/platform/postgres';
import { until } from '@posthorn/testing';
import { expectInTime, expectThat, type Failure } from '../rig/failures.js';
import { loseStandby } from '../rig/lose-standby.js';
import type { Rig } from '../rig/open-rig.js';
import { MAX_RESPONSE_MS } from '../rig/refused-writes.js';
import type { Scenario } from '../rig/scenario.js';
import type { Standby } from '../rig/standby.js';
import { untilDelivering, untilReady } from '../rig/until.js';

/** Mail must flow this soon after a server can be written to again. */
const MAX_RECOVERY_MS = 5_000;
const STANDBY_DOWN_MS = 8_000;

/** The only responses to all requests of a drill are 202 and, within ten seconds, 503. */
function failuresOfResponses({ client }: Rig): Failure[] {
  const { entries } = client.journal;
  const wrong = entries.filter(({ status }) => status !== 202 && status !== 503);
  const slowest = Math.round(Math.max(...entries.map(({ ms }) => ms)));
  return [
    ...expectThat(wrong.length === 0, `${wrong.length} requests got ${wrong[0]?.status ?? 'no response'}`),
    ...expectInTime(slowest < MAX_RESPONSE_MS, `the slowest response took ${slowest} ms`),
  ];
}

type Outcome = { readonly figures: string; readonly failures: readonly Failure[] };

/** @param ms from when Postgres could be written to again until a new email was delivered */
function toOutcome(rig: Rig, ms: number): Outcome {
  return {
    figures: `mail flowed ${(ms / 1_000).toFixed(1)} s after Postgres could be written to again`,
    failures: [
      ...failuresOfResponses(rig),
      ...expectInTime(ms <= MAX_RECOVERY_MS, `mail flowed only after ${Math.round(ms)} ms`),
    ],
  };
}

/** @param fail makes the standby the primary. @returns when that one could be written to */
async function failOver(rig: Rig, fail: () => Promise<number>): Promise<Outcome> {
  await rig.sendMany(10);
  const ms = await rig.whileSending(async () => {
    await sleep(rig.random.between(500, 1_500));
    const from = await fail();
    await untilDelivering(rig);
    return performance.now() - from;
  });
  await untilReady(rig);
  return toOutcome(rig, ms);
}

async function loseAndRestart(rig: Rig): Promise<Outcome> {
  const { refused, canceled, failures } = await loseStandby(rig, rig.servers.standby as Standby, STANDBY_DOWN_MS);
  await untilDelivering(rig);
  const outcome = toOutcome(rig, Math.max(...rig.recoveries));
  return {
    figures: `${refused} requests refused, ${canceled} waiting commits canceled; ${outcome.figures}`,
    failures: [...failures, ...outcome.failures],
  };
}

async function killAndPromote(rig: Rig): Promise<number> {
  await rig.servers.losePostgres();
  await sleep(rig.random.between(500, 1_500));
  await (rig.servers.standby as Standby).promote();
  return performance.now();
}

/** The old primary can still be read, but no process may stay connected to it. */
async function untilNobodyUsesOldPrimary({ ctx, servers }: Rig): Promise<void> {
  const { pathname } = new URL(firstHost(ctx.config.databaseUrl));
  const old = connectDatabase(firstHost(servers.postgresUrl({ proxied: false })), { poolSize: 1 });
  try {
    await until('no process is connected to the old primary', async () => {
      const { rows } = await old.raw(
        'select pg_is_in_recovery() as is_standby, (select count(*)::int from pg_stat_activity where datname = ?) as sessions',
        [pathname.slice(1)],
      );
      return rows[0].is_standby && rows[0].sessions === 0;
    });
  } finally {
    await old.destroy();
  }
}

/** The same URL with only the first of its hosts, and without conditions. */
function firstHost(databaseUrl: string): string {
  return databaseUrl.replace(/,[^/]*/, '').replace(/\?.*/, '');
}

export const failoverDrills: readonly Scenario[] = [
  {
    id: 'failover',
    fault: 'the Postgres primary is killed, and its synchronous standby is promoted',
    options: { apis: 2, workers: 2 },
    withStandby: true,
    run: (rig) => failOver(rig, () => killAndPromote(rig)),
  },
  {
    id: 'demotion',
    fault: 'the Postgres primary becomes a standby of its former standby, at the same address',
    options: { apis: 2, workers: 2 },
    withStandby: true,
    async run(rig) {
      const outcome = await failOver(rig, () => rig.servers.switchPostgres());
      await untilNobodyUsesOldPrimary(rig);
      return outcome;
    },
  },
  {
    id: 'standby',
    fault: 'the synchronous standby of Postgres is lost, and comes back',
    options: { apis: 2, workers: 2 },
    withStandby: true,
    run: loseAndRestart,
  },
];
