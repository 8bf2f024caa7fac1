import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeliveryResult,
  type LeasedWebhook,
  type RecordedResults,
  recordDeliveries,
} from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { createCondition } from '@posthorn/platform/processes';
import type { LogProgress } from './delivery-reader.js';

const MAX_RESULTS_PER_STATEMENT = 400;
/** More requests are made only while fewer results than this wait to be recorded. */
const MAX_UNRECORDED = 1_000;
/** A statement for few results costs nearly as much as one for many, so the next one waits for more of them. */
const COLLECT_MS = 20;
const PAUSE_MS = 200;

type RecorderContext = Pick<Context, 'db' | 'log'>;

/**
 * Records results together while the next requests are being made. While Postgres is unavailable, it keeps trying. If a
 * result is lost, the event is sent again, with the same id.
 * @returns `add`, which returns a promise only if too many results are waiting, and `untilRecorded`, which returns how
 *   many times results of the webhook were recorded. Both throw what made recording fail, except an outage
 */
export function createDeliveryRecorder(ctx: RecorderContext, webhook: LeasedWebhook, progress: LogProgress) {
  const unrecorded: DeliveryResult[] = [];
  let { revision } = webhook;
  let isRunning = false;
  let failure: { readonly error: unknown } | null = null;
  const hasRoom = createCondition(() => unrecorded.length < MAX_UNRECORDED || failure !== null);
  const isEmpty = createCondition(() => unrecorded.length === 0 || failure !== null);

  async function recordNext(): Promise<void> {
    const results = unrecorded.slice(0, MAX_RESULTS_PER_STATEMENT);
    for (const { eventId } of results) progress.count(eventId);
    await recordUntilDone(ctx, webhook, { results, place: progress.place(), revision });
    revision += 1;
    unrecorded.splice(0, results.length);
    hasRoom.check();
    isEmpty.check();
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (unrecorded.length > 0) {
        await recordNext();
        if (unrecorded.length < MAX_RESULTS_PER_STATEMENT) await sleep(COLLECT_MS);
      }
    } catch (error) {
      failure = { error };
      hasRoom.check();
      isEmpty.check();
    }
    isRunning = false;
  }

  function assertRecordable(): void {
    if (failure) throw failure.error;
  }

  return {
    add(result: DeliveryResult): Promise<void> | undefined {
      assertRecordable();
      unrecorded.push(result);
      if (!isRunning) void run();
      return unrecorded.length >= MAX_UNRECORDED ? hasRoom.wait() : undefined;
    },
    async untilRecorded(): Promise<number> {
      await isEmpty.wait();
      assertRecordable();
      return revision;
    },
  };
}

async function recordUntilDone(
  { db, log }: RecorderContext,
  webhook: LeasedWebhook,
  recorded: RecordedResults,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await recordDeliveries(db, webhook, recorded);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const facts = { error, webhookId: webhook.id, results: recorded.results.length };
      if (tries === 1) log.warn(facts, 'webhook_results_not_recorded_yet');
      await sleep(PAUSE_MS);
    }
  }
}
