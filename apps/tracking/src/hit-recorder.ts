import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  flushEachAlone,
  grouped,
  type Hit,
  isUnavailable,
  limits,
  openEventSignal,
  type Rejection,
  recordHits,
} from '@posthorn/domain';

const MAX_HITS = 500;
const RETRY_MS = 1_000;
/** How long `stop` waits for Postgres. */
const STOP_MS = 5_000;

export type HitRecorder = {
  /** Records the hit soon. Never fails and never waits. */
  record(hit: Hit): void;
  /** Writes what is waiting, if Postgres can be reached within a few seconds. */
  stop(): Promise<void>;
};

/**
 * Writes opens and clicks in groups. While Postgres is down, it keeps as many as `limits.waitingHits` in memory and
 * drops the ones after that. Those in memory are lost if the process ends.
 * @param isMigrated resolves when the schema of the database is up to date
 */
export function openHitRecorder(ctx: Pick<Context, 'db' | 'log' | 'redis'>, isMigrated: Promise<void>): HitRecorder {
  const signalEvents = openEventSignal(ctx);
  const waiting = new Set<Promise<void>>();
  let dropped = 0;
  let isStopped = false;

  async function write(hits: Hit[]): Promise<undefined[]> {
    if (await recordHits(ctx, hits)) signalEvents();
    return hits.map(() => undefined);
  }

  /** Tries until Postgres is there again, or until there is no more time. */
  async function writeWithRetries(hits: Hit[]): Promise<undefined[]> {
    try {
      return await write(hits);
    } catch (error) {
      if (!isUnavailable(error) || isStopped) throw error;
    }
    await sleep(RETRY_MS);
    return writeWithRetries(hits);
  }

  async function flush(hits: Hit[]): Promise<Array<undefined | Rejection>> {
    await isMigrated;
    if (dropped > 0) ctx.log.warn({ dropped }, 'hits_dropped');
    dropped = 0;
    try {
      return await writeWithRetries(hits);
    } catch (error) {
      return flushEachAlone(write, hits, error);
    }
  }

  const add = grouped<Hit, undefined>(flush, { max: MAX_HITS });
  return {
    record(hit) {
      if (waiting.size >= limits.waitingHits.max) {
        dropped += 1;
        return;
      }
      const written: Promise<void> = add(hit)
        .catch((error) => ctx.log.error({ error, emailId: hit.emailId }, 'hit_not_recorded'))
        .then(() => {
          waiting.delete(written);
        });
      waiting.add(written);
    },
    async stop() {
      await Promise.race([Promise.all(waiting), sleep(STOP_MS, undefined, { ref: false })]);
      isStopped = true;
    },
  };
}
