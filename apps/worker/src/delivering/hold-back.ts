import { setTimeout as sleep } from 'node:timers/promises';
import { holdBack, type Wait } from '@posthorn/domain/delivery';
import { type LoggedEmail, toLogFields } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures } from '@posthorn/platform/batching';
import { isUnavailable } from '@posthorn/platform/postgres';

const MAX_EMAILS_PER_STATEMENT = 50;
const PAUSE_MS = 100;

/** Ends the claim of an email that has to wait. Never throws: if that fails, the lease ends it. */
export type HoldBack = (wait: Wait & LoggedEmail) => Promise<void>;

export function openHoldBack({ db, log }: Pick<Context, 'db' | 'log'>): HoldBack {
  const holdTogether = async (waits: Wait[]) => {
    await holdBack(db, waits);
    return waits.map(() => undefined);
  };
  const hold = groupCalls((waits: Wait[]) => isolateFailures(waits, holdTogether, { isolatesLocks: true }), {
    max: MAX_EMAILS_PER_STATEMENT,
  });
  return async (wait) => {
    try {
      await hold(wait).catch(async (error) => {
        if (!isUnavailable(error)) throw error;
        await sleep(PAUSE_MS);
        await hold(wait);
      });
    } catch (error) {
      log.warn({ error, ...toLogFields(wait) }, 'email_not_held_back');
    }
  };
}
