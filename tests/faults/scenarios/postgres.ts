import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile, until } from '@posthorn/testing';
import { expectInTime, expectThat } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { mayMount, mountSmallDisk, type SmallDisk } from '../../rig/small-disk.js';
import { untilAccepting, untilDelivering, untilSettled } from '../../rig/until.js';

/** The time limit for a response while Postgres is slow, stopped or out of disk space. */
const MAX_RESPONSE_MS = 8_000;

/** Needs its own servers, with Postgres on the disk that it fills. */
async function fillDisk(rig: Rig, disk: SmallDisk, ms: number) {
  await rig.sendMany(20);
  const from = rig.client.journal.entries.length;
  const responses = await rig.whileSending(
    async () => {
      disk.fill();
      await sleep(ms);
      const whileFull = rig.client.journal.entries.slice(from);
      disk.free();
      // If Postgres crashes while its disk is full, it cannot recover, so it exits. A service manager would restart it.
      await rig.servers.revivePostgres();
      return whileFull;
    },
    { inFlight: 4 },
  );
  await untilDelivering(rig);
  const refused = responses.filter(({ status }) => status === 503).length;
  const unexpected = responses.filter(({ status }) => ![202, 503, null].includes(status));
  return {
    figures: `${refused} requests got a 503 while the disk was full`,
    failures: [
      ...expectThat(refused > 0, 'no request arrived while the disk was full'),
      ...expectThat(unexpected.length === 0, `a request got ${unexpected[0]?.status} while the disk was full`),
    ],
  };
}

export const postgresScenarios: readonly Scenario[] = [
  {
    id: 'F16',
    fault: 'immediate shutdowns of Postgres under load',
    options: { apis: 2, workers: 2 },
    async run(rig, scale) {
      const stops = Math.ceil(5 * scale);
      await rig.whileSending(async () => {
        for (let stop = 0; stop < stops; stop += 1) {
          await sleep(rig.random.between(500, 1_500));
          await rig.servers.crashPostgres();
          await untilAccepting(rig);
        }
      });
      await untilDelivering(rig);
      return { figures: `${stops} stops` };
    },
  },
  {
    id: 'F17',
    fault: 'Postgres backends are terminated during transactions; replies to COMMIT are lost',
    options: { apis: 2, workers: 2 },
    async run(rig, scale) {
      let lostReplies = 0;
      await rig.whileSending(async () => {
        for (let round = 0; round < Math.ceil(10 * scale); round += 1) {
          await sleep(rig.random.between(100, 400));
          await rig.ctx.db.raw(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          );
          const lost = rig.servers.proxies.postgres.dropReplyTo(/commit/i).then(() => true);
          if (await Promise.race([lost, sleep(2_000).then(() => false)])) lostReplies += 1;
        }
      });
      return {
        figures: `${lostReplies} replies to COMMIT lost`,
        failures: expectInTime(lostReplies > 0, 'no reply to COMMIT could be dropped within 2 s in any round'),
      };
    },
  },
  {
    id: 'F18',
    fault: 'Postgres stops while the mail server has the message but has not replied yet',
    async run(rig) {
      await rig.sendMany(8, { inFlight: 8, behaviour: 'late.2000' });
      await until('the server has 8 messages', () => rig.smtp.handoffs.length === 8);
      rig.servers.proxies.postgres.cut();
      await rig.servers.crashPostgres();
      // The mail server replies while Postgres is still down.
      await sleep(2_500);
      rig.servers.proxies.postgres.restore();
      await untilAccepting(rig);
      await untilSettled(rig);
      const { rows } = await rig.ctx.db.raw(
        "select count(*)::int as n from delivery_attempts where outcome = 'ambiguous'",
      );
      return { figures: `${rows[0].n} leases expired in the meantime` };
    },
  },
  {
    id: 'F19',
    fault: 'every transaction that counts usage is delayed by several seconds',
    async run(rig, scale) {
      await rig.sendMany(10);
      const from = rig.client.journal.entries.length;
      const held = rig.ctx.db.transaction(async (trx) => {
        await trx.raw('lock table usage in access exclusive mode');
        await sleep(8_000 * scale);
      });
      await rig.whileSending(() => held, { inFlight: 30 });
      await untilAccepting(rig);
      const slowest = getPercentile(
        rig.client.journal.entries.slice(from).map(({ ms }) => ms),
        1,
      );
      return {
        figures: `slowest response ${Math.round(slowest ?? 0)} ms`,
        failures: expectInTime((slowest ?? 0) < MAX_RESPONSE_MS, `the slowest response took ${slowest} ms`),
      };
    },
  },
  {
    id: 'F20',
    fault: 'the Postgres disk is full for a while',
    disk: mountSmallDisk,
    skip: () => (mayMount() ? null : 'only root can mount the small disk that this scenario fills'),
    run: (rig, scale, disk) => fillDisk(rig, disk as SmallDisk, 5_000 * scale),
  },
];
