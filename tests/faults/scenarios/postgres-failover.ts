import { setTimeout as sleep } from 'node:timers/promises';
import { createTestWorkspace, until } from '@posthorn/testing';
import { newIdempotencyKey } from '../../rig/client.js';
import { expectInTime, expectThat, type Failure } from '../../rig/failures.js';
import { loseStandby } from '../../rig/lose-standby.js';
import type { Rig } from '../../rig/open-rig.js';
import { expectNotReady, failuresWhileRefusing, MARGIN_MS, responsesBetween } from '../../rig/refused-writes.js';
import type { Scenario } from '../../rig/scenario.js';
import type { Standby } from '../../rig/standby.js';
import { untilAccepting, untilDelivering, untilReady, untilSettled } from '../../rig/until.js';

async function setReadOnly({ ctx }: Rig, isReadOnly: boolean): Promise<void> {
  await ctx.db.raw(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await ctx.db.raw('select pg_reload_conf()');
}

/** Workers hand over eight messages, and get the replies while Postgres is read-only and Redis is empty. */
async function turnReadOnly(rig: Rig, ms: number) {
  await rig.sendMany(8, { inFlight: 8, behaviour: 'late.1500' });
  await until('the server has 8 messages', () => rig.smtp.handoffs.length === 8);
  const failures: Failure[] = [];
  const responses = await rig.whileSending(async () => {
    try {
      await setReadOnly(rig, true);
      const from = Date.now() + MARGIN_MS;
      await sleep(ms);
      await rig.ctx.redis.flushall();
      failures.push(...(await expectNotReady(rig, 'read_only')));
      return responsesBetween(rig, from, Date.now());
    } finally {
      await setReadOnly(rig, false);
      await untilAccepting(rig);
    }
  });
  failures.push(...failuresWhileRefusing(responses));
  await untilReady(rig);
  await untilDelivering(rig);
  await untilSettled(rig);
  return { figures: `${responses.length} requests were refused`, failures };
}

/**
 * Loses the primary before or after the standby is promoted. Until the primary is lost, processes can still reach it,
 * but cannot commit anything there. @returns milliseconds from the promotion until an email was accepted
 */
async function losePrimary(rig: Rig, standby: Standby, isLostFirst: boolean): Promise<number> {
  return rig.whileSending(async () => {
    await sleep(rig.random.between(500, 1_500));
    if (isLostFirst) await rig.servers.losePostgres();
    await sleep(rig.random.between(500, 1_500));
    await standby.promote();
    const backAfterMs = await untilAccepting(rig);
    if (!isLostFirst) await rig.servers.losePostgres();
    return backAfterMs;
  });
}

async function failOver(rig: Rig, scale: number) {
  const standby = rig.servers.standby as Standby;
  await rig.sendMany(10);
  const { refused, canceled, failures } = await loseStandby(rig, standby, 8_000 * scale);
  const isLostFirst = rig.random.pick([true, false]);
  const backAfterMs = await losePrimary(rig, standby, isLostFirst);
  await untilDelivering(rig);
  await untilReady(rig);
  return {
    figures: `${refused} requests refused while the standby was lost, ${canceled} waiting commits canceled; primary lost ${isLostFirst ? 'before' : 'after'} the promotion; emails accepted again ${(backAfterMs / 1_000).toFixed(1)} s after the promotion`,
    failures,
  };
}

/** Two workspaces send emails. For a while, the usage rows of one of them are locked. */
async function lockUsageRow(rig: Rig, ms: number) {
  const { key, workspaceId } = await createTestWorkspace(rig.ctx, { planId: 'pro' });
  let count = 0;
  const locked = () => ({
    ...rig.requestTo('ok', { to: [`ok-locked${count++}@rig.test`], key: newIdempotencyKey() }),
    authorization: `Bearer ${key}`,
  });
  await rig.client.send(locked());
  let isOver = false;
  const load = rig.client.load(4, () => (isOver ? null : locked()));
  const others = await rig.whileSending(async () => {
    await sleep(MARGIN_MS);
    const from = Date.now();
    await rig.ctx.db.transaction(async (trx) => {
      await trx('usage').where({ workspace_id: workspaceId }).forUpdate();
      await sleep(ms);
    });
    return responsesBetween(rig, from, Date.now()).filter(({ to }) => !to[0]?.includes('locked'));
  });
  isOver = true;
  await load;
  const accepted = others.filter(({ status }) => status === 202);
  const refused = others.filter(({ status }) => status !== 202);
  const slowest = Math.round(Math.max(0, ...others.map(({ ms: took }) => took)));
  return {
    figures: `${accepted.length} emails of the other workspace accepted meanwhile; the slowest took ${slowest} ms`,
    failures: [
      ...expectThat(
        refused.length === 0,
        `${refused.length} requests of the other workspace got ${refused[0]?.status} instead of 202`,
      ),
      ...expectInTime(accepted.length > ms / 500, `only ${accepted.length} emails were accepted in ${ms} ms`),
    ],
  };
}

export const failoverScenarios: readonly Scenario[] = [
  {
    id: 'F38',
    fault: 'Postgres turns read-only under load, while workers wait for replies; meanwhile, Redis loses everything',
    options: { apis: 2, workers: 2 },
    run: (rig, scale) => turnReadOnly(rig, 8_000 * scale),
  },
  {
    id: 'F39',
    fault:
      'the synchronous standby of Postgres is lost and comes back; then the primary is lost and the standby promoted',
    options: { apis: 2, workers: 2 },
    withStandby: true,
    run: failOver,
  },
  {
    id: 'F40',
    fault: 'the usage rows of one workspace are locked for several seconds while another workspace sends',
    options: { apis: 2 },
    run: (rig, scale) => lockUsageRow(rig, 8_000 * scale),
  },
];
