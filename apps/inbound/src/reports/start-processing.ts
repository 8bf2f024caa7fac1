import { join } from 'node:path';
import {
  applyReports,
  type Context,
  createPause,
  failpoint,
  isUnavailable,
  type LeasedReport,
  leaseReports,
  openEventSignal,
  postponeReports,
  type ReadReport,
  returnPathReader,
} from '@posthorn/domain';
import type { Report } from '@posthorn/feedback';
import { openThread, type Thread } from '@posthorn/threads';
import { toReadReport } from './read-report.js';

const MAX_REPORTS = 50;
/** Longer than it takes to read and apply `MAX_REPORTS` reports, even if each of them takes the longest time. */
const LEASE_SECONDS = 300;
/** How often to look for reports that wait, or that another process has left. */
const POLL_MS = 1_000;
/** An ordinary report takes a few milliseconds. The parser needs 23 s for 3 MB of lines with one letter each. */
const MAX_PARSE_MS = 5_000;
const MAX_THREAD_HEAP_MB = 128;
/** How long a report waits that could not be applied. */
const RETRY_SECONDS = 60;

type ProcessingContext = Pick<Context, 'config' | 'db' | 'log' | 'redis'>;

export type Processing = {
  /** Says that there is a new report. */
  wake(): void;
  /** Settles when the reports in hand are finished. */
  stop(): Promise<void>;
};

/** FLOW 3, second part, from stored reports to the states of recipients: lease -> parse -> apply. */
export function startProcessing(ctx: ProcessingContext): Processing {
  const parser = openThread<Uint8Array, Report>(join(import.meta.dirname, 'parse-thread'), {
    maxHeapMb: MAX_THREAD_HEAP_MB,
    maxJobMs: MAX_PARSE_MS,
  });
  const readReturnPath = returnPathReader(ctx.config);
  const signalEvents = openEventSignal(ctx);
  const pause = createPause();
  let stopped = false;
  let isWoken = false;

  async function round(): Promise<boolean> {
    const leased = await leaseReports(ctx.db, { limit: MAX_REPORTS, leaseSeconds: LEASE_SECONDS });
    const read: ReadReport[] = [];
    for (const report of leased) {
      read.push(toReadReport(report, await parse(ctx, parser, report), readReturnPath));
    }
    failpoint('before_reports_applied');
    if (read.length > 0 && (await applyTogether(ctx, read))) signalEvents();
    failpoint('after_reports_applied');
    return leased.length === MAX_REPORTS;
  }

  async function run(): Promise<void> {
    while (!stopped) {
      isWoken = false;
      const isMore = await round().catch((error) => {
        ctx.log[isUnavailable(error) ? 'debug' : 'error']({ error }, 'reports_not_processed');
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

/** A report that cannot be parsed is kept, and says nothing. */
async function parse(
  { log }: ProcessingContext,
  parser: Thread<Uint8Array, Report>,
  { id, raw }: LeasedReport,
): Promise<Report | { kind: 'unreadable' }> {
  try {
    return await parser.run(raw);
  } catch (error) {
    log.warn({ error, report: id }, 'report_unreadable');
    return { kind: 'unreadable' };
  }
}

/** If Postgres refuses one of the reports, the others are applied without it. */
async function applyTogether(ctx: ProcessingContext, reports: readonly ReadReport[]): Promise<boolean> {
  try {
    return await applyReports(ctx, reports);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const [only, ...others] = reports;
    if (only && others.length === 0) {
      ctx.log.error({ error, report: only.id }, 'report_not_applied');
      await postponeReports(ctx.db, [only.id], RETRY_SECONDS);
      return false;
    }
    const results: boolean[] = [];
    for (const report of reports) results.push(await applyTogether(ctx, [report]));
    return results.includes(true);
  }
}
