import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, type DeliveryResult, grouped, isUnavailable, recordDeliveries } from '@posthorn/domain';
import { createCondition } from '../condition.js';

const MAX_RESULTS_PER_STATEMENT = 200;
/** More requests are made only while fewer results than this wait to be recorded. */
const MAX_UNRECORDED = 500;
const PAUSE_MS = 200;

export type DeliveryRecorder = {
  /** Settles at once, unless too many results are waiting. */
  add(result: DeliveryResult): Promise<void>;
  untilRecorded(): Promise<void>;
};

/**
 * Records results together while the next requests are being made. If Postgres is away, it keeps trying. If a result is
 * lost, the event is sent again, with the same id.
 */
export function openDeliveryRecorder(ctx: Pick<Context, 'db' | 'log'>, webhookId: string): DeliveryRecorder {
  let unrecorded = 0;
  const hasRoom = createCondition(() => unrecorded < MAX_UNRECORDED);
  const isEmpty = createCondition(() => unrecorded === 0);
  const record = grouped(
    async (results: DeliveryResult[]) => {
      await recordUntilDone(ctx, webhookId, results);
      return results.map(() => undefined);
    },
    { max: MAX_RESULTS_PER_STATEMENT },
  );

  async function recordOne(result: DeliveryResult): Promise<void> {
    unrecorded += 1;
    await record(result);
    unrecorded -= 1;
    hasRoom.check();
    isEmpty.check();
  }

  return {
    add(result) {
      void recordOne(result);
      return hasRoom.wait();
    },
    untilRecorded: () => isEmpty.wait(),
  };
}

async function recordUntilDone(
  { db, log }: Pick<Context, 'db' | 'log'>,
  webhookId: string,
  results: readonly DeliveryResult[],
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await recordDeliveries(db, webhookId, results);
    } catch (error) {
      if (tries === 1) log.warn({ error, webhookId, results: results.length }, 'webhook_results_not_recorded_yet');
      if (!isUnavailable(error)) return;
      await sleep(PAUSE_MS);
    }
  }
}
