import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from './failures.js';
import type { Rig } from './open-rig.js';
import { expectNotReady, failuresWhileRefusing, MARGIN_MS, responsesBetween } from './refused-writes.js';
import type { Standby } from './standby.js';
import { untilAccepting } from './until.js';

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
  return { refused: responses.length, canceled, failures: [...failures, ...failuresWhileRefusing(responses)] };
}
