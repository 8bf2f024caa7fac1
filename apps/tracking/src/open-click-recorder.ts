import { setTimeout as sleep } from 'node:timers/promises';
import { findEmailOrigin, toLogFields } from '@posthorn/domain/emails';
import { signalEvents } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import { type OpenOrClick, recordOpensAndClicks } from '@posthorn/domain/tracking';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures, type Rejection } from '@posthorn/platform/batching';
import { addReadGauge } from '@posthorn/platform/metrics';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { Registry } from 'prom-client';
import type { TrackingMetrics } from './metrics.js';

const MAX_HITS = 500;
const RETRY_MS = 1_000;
/** How long `stop` waits for Postgres. */
const STOP_MS = 5_000;

type RecorderContext = Pick<Context, 'db' | 'log' | 'redis'> & { readonly metrics: TrackingMetrics };

type OpenClickRecorder = {
  /** Records the hit soon. Never fails and never waits. */
  record(hit: OpenOrClick): void;
  /** Writes what is waiting, if Postgres can be reached within a few seconds. */
  stop(): Promise<void>;
};

/**
 * Writes opens and clicks in groups. While Postgres is down, it keeps as many as `limits.waitingHits` in memory and
 * drops the ones after that. Those in memory are lost if the process ends.
 * @param isMigrated resolves when the schema of the database is up to date
 */
export function createOpenClickRecorder(ctx: RecorderContext, isMigrated: Promise<void>): OpenClickRecorder {
  const waiting = new Set<Promise<void>>();
  let dropped = 0;
  let isStopped = false;
  observeWaiting(ctx.metrics.registry, waiting);

  async function write(hits: OpenOrClick[]): Promise<undefined[]> {
    if (await recordOpensAndClicks(ctx, hits)) signalEvents(ctx);
    return hits.map(() => undefined);
  }

  /** Tries until Postgres is there again, or until there is no more time. */
  async function writeWithRetries(hits: OpenOrClick[]): Promise<undefined[]> {
    try {
      return await write(hits);
    } catch (error) {
      if (!isUnavailable(error) || isStopped) throw error;
    }
    await sleep(RETRY_MS);
    return writeWithRetries(hits);
  }

  async function flush(hits: OpenOrClick[]): Promise<Array<undefined | Rejection>> {
    await isMigrated;
    if (dropped > 0) ctx.log.warn({ dropped }, 'hits_dropped');
    dropped = 0;
    return isolateFailures(hits, writeWithRetries);
  }

  const add = groupCalls<OpenOrClick, undefined>(flush, { max: MAX_HITS });
  return {
    record(hit) {
      if (waiting.size >= limits.waitingHits.max) {
        dropped += 1;
        ctx.metrics.hits.inc({ result: 'dropped' });
        return;
      }
      const written: Promise<void> = countWritten(ctx, hit, add(hit)).then(() => {
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

function observeWaiting(registry: Registry, waiting: ReadonlySet<unknown>): void {
  const help = 'Opens and clicks in memory that Postgres has not recorded yet';
  addReadGauge(registry, { name: 'posthorn_hits_waiting', help }, () => waiting.size);
}

/** Never rejects. */
async function countWritten(ctx: RecorderContext, hit: OpenOrClick, recording: Promise<void>): Promise<void> {
  const { metrics } = ctx;
  try {
    await recording;
    metrics.hits.inc({ result: 'recorded' });
  } catch (error) {
    metrics.hits.inc({ result: 'failed' });
    ctx.log.error({ error, ...(await findLogFields(ctx, hit, error)) }, 'hit_not_recorded');
  }
}

async function findLogFields({ db }: RecorderContext, { emailId: id }: OpenOrClick, error: unknown): Promise<object> {
  const origin = isUnavailable(error) ? null : await findEmailOrigin(db, id).catch(() => null);
  return toLogFields({ id, ...origin });
}
