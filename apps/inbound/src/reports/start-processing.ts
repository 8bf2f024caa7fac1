import { join } from 'node:path';
import { type Context, createPause, isUnavailable, openEventSignal, returnPathReader } from '@posthorn/domain';
import type { Report } from '@posthorn/feedback';
import { openThread } from '@posthorn/threads';
import { processReports } from './process-reports.js';

/** How often to look for reports that wait, or that another process has left. */
const POLL_MS = 1_000;
/** An ordinary report takes a few milliseconds. The parser needs 23 s for 3 MB of lines with one letter each. */
const MAX_PARSE_MS = 5_000;
const MAX_THREAD_HEAP_MB = 128;

export type Processing = {
  /** Says that there is a new report. */
  wake(): void;
  /** Settles when the reports in hand are finished. */
  stop(): Promise<void>;
};

/** Processes stored reports, whether this process or another one has received them. */
export function startProcessing({
  config,
  db,
  log,
  redis,
}: Pick<Context, 'config' | 'db' | 'log' | 'redis'>): Processing {
  const thread = { maxHeapMb: MAX_THREAD_HEAP_MB, maxJobMs: MAX_PARSE_MS };
  const parser = openThread<Uint8Array, Report>(join(import.meta.dirname, 'parse-thread'), thread);
  const ctx = { db, log, parser, readReturnPath: returnPathReader(config), signalEvents: openEventSignal({ redis }) };
  const pause = createPause();
  let stopped = false;
  let isWoken = false;

  async function run(): Promise<void> {
    while (!stopped) {
      isWoken = false;
      const isMore = await processReports(ctx).catch((error) => {
        log[isUnavailable(error) ? 'debug' : 'error']({ error }, 'reports_not_processed');
        return false;
      });
      if (!isMore && !isWoken && !stopped) await pause.sleep(POLL_MS);
    }
  }

  const wake = () => {
    isWoken = true;
    pause.wake();
  };
  const running = run();
  return {
    wake,
    async stop() {
      stopped = true;
      wake();
      await running;
      await parser.close();
    },
  };
}
