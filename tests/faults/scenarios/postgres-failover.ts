import { setTimeout as sleep } from 'node:timers/promises';
import { createTestWorkspace } from '@posthorn/testing';
import { newIdempotencyKey, type SendResponse } from '../../rig/client.js';
import { expectInTime, expectThat, type Failure } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import type { Standby } from '../../rig/standby.js';
import { until, untilAccepting, untilDelivering, untilSettled } from '../../rig/until.js';

/** While Postgres cannot store anything, a request must be answered within this time. */
export const MAX_RESPONSE_MS = 10_000;
/** Leaves out responses that were on their way when the fault began. */
const MARGIN_MS = 500;

/** The responses to requests that were sent after `from` and answered before `to`. Both are `Date.now()` times. */
function responsesBetween({ client }: Rig, from: number, to: number): SendResponse[] {
  return client.journal.entries.filter(({ at, ms }) => at - ms >= from && at <= to);
}

/** While Postgres cannot store anything, no request may get a 202 or a 500, or wait long for its response. */
function failuresWhileAway(responses: readonly SendResponse[]): Failure[] {
  const refused = responses.filter(({ status }) => status === 503);
  const unexpected = responses.filter(({ status }) => status !== 503);
  const slowest = Math.round(Math.max(0, ...responses.map(({ ms }) => ms)));
  return [
    ...expectThat(
      unexpected.length === 0,
      `a request got ${unexpected[0]?.status} while Postgres could not be written to`,
    ),
    ...expectInTime(refused.length > 0, 'no request arrived while Postgres could not be written to'),
    ...expectInTime(slowest < MAX_RESPONSE_MS, `the slowest response took ${slowest} ms`),
  ];
}

/** @returns a failure unless `/readyz` of every API process answers 503. Their metrics must then say why */
async function expectNotReady({ apis }: Rig, state: 'read_only' | 'standby_lost'): Promise<Failure[]> {
  const statuses = await Promise.all(apis.map(statusOfReadyz));
  const wrong = statuses.filter((status) => status !== 503);
  const line = `posthorn_postgres_state{state="${state}"} 1`;
  await until(`/metrics of every API process has ${line}`, async () =>
    (await Promise.all(apis.map(readMetrics))).every((text) => text.includes(line)),
  );
  return expectThat(wrong.length === 0, `/readyz answered ${wrong[0]} instead of 503`);
}

async function readMetrics({ url }: Rig['apis'][number]): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

async function statusOfReadyz({ url }: Rig['apis'][number]): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

/** Waits for `/readyz` of every API process, because its response can be up to a second old. */
export async function untilReady({ apis }: Rig): Promise<void> {
  await until('/readyz of every API process returns 200', async () =>
    (await Promise.all(apis.map(statusOfReadyz))).every((status) => status === 200),
  );
}

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
  failures.push(...failuresWhileAway(responses));
  await untilReady(rig);
  await untilDelivering(rig);
  await untilSettled(rig);
  return { figures: `${responses.length} requests were refused`, failures };
}

/**
 * Makes Postgres give up waiting for the standby, as an impatient operator would.
 * @returns how many commits were waiting
 */
async function cancelWaits({ ctx }: Rig): Promise<number> {
  const { rows } = await ctx.db.raw("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
  return rows.length;
}

/** Loses the synchronous standby under load, cancels the waiting commits, and starts it again. */
export async function loseStandby(rig: Rig, standby: Standby, ms: number) {
  let canceled = 0;
  const failures: Failure[] = [];
  const responses = await rig.whileSending(async () => {
    await standby.stop();
    const from = Date.now() + MARGIN_MS;
    await sleep(ms);
    canceled = await cancelWaits(rig);
    await sleep(ms);
    failures.push(...(await expectNotReady(rig, 'standby_lost')));
    const seen = responsesBetween(rig, from, Date.now());
    await standby.start();
    await untilAccepting(rig);
    return seen;
  });
  return { refused: responses.length, canceled, failures: [...failures, ...failuresWhileAway(responses)] };
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
