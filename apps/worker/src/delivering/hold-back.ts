import { setTimeout as sleep } from 'node:timers/promises';
import { holdBack, type Wait } from '@posthorn/domain/delivery';
import { type LoggedEmail, toLogFields } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures } from '@posthorn/platform/batching';
import { isUnavailable } from '@posthorn/platform/postgres';

const MAX_EMAILS_PER_STATEMENT = 50;
const PAUSE_MS = 100;

/**
 * Ends the claim of an email that has to wait, and retries for as long as Postgres is unavailable: after the end of its
 * lease, the email would count as one that a server may have. Never throws.
 */
export type HoldBack = (wait: Wait & LoggedEmail) => Promise<void>;

export function openHoldBack({ db, log }: Pick<Context, 'db' | 'log'>): HoldBack {
  const holdTogether = async (waits: Wait[]) => {
    await holdBack(db, waits);
    return waits.map(() => undefined);
  };
  const hold = groupCalls((waits: Wait[]) => isolateFailures(waits, holdTogether, { isolatesLocks: true }), {
    max: MAX_EMAILS_PER_STATEMENT,
  });
  /** @returns whether it must be tried again */
  const tryToHold = async (wait: Wait & LoggedEmail, tries: number) => {
    try {
      await hold(wait);
      return false;
    } catch (error) {
      const mayWork = isUnavailable(error);
      if (tries === 1 || !mayWork) log.warn({ error, ...toLogFields(wait) }, 'email_not_held_back');
      return mayWork;
    }
  };
  return async (wait) => {
    for (let tries = 1; await tryToHold(wait, tries); tries += 1) await sleep(PAUSE_MS);
  };
}
