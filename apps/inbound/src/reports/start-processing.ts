import { join } from 'node:path';
import { returnPathReader } from '@posthorn/domain/domains';
import type { Report } from '@posthorn/feedback';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { startLoop, type WakeableLoop } from '@posthorn/platform/processes';
import { openThread } from '@posthorn/threads';
import type { InboundMetrics } from '../metrics.js';
import { processReports } from './process-reports.js';

/** How often to look for reports that wait, or that another process has left. */
const POLL_MS = 1_000;
/**
 * Reports that arrive within this time are applied together, because a transaction costs Postgres as much for one as
 * for several. Nobody waits for the result.
 */
const GATHER_MS = 200;
/** An ordinary report takes a few milliseconds. The parser needs 23 s for 3 MB of lines with one letter each. */
const MAX_PARSE_MS = 5_000;
const MAX_THREAD_HEAP_MB = 128;

/** Processes stored reports, whether this process or another one has received them. */
export function startProcessing({
  config,
  db,
  log,
  metrics,
  redis,
}: Pick<Context, 'config' | 'db' | 'log' | 'redis'> & { readonly metrics: InboundMetrics }): WakeableLoop {
  const thread = { maxHeapMb: MAX_THREAD_HEAP_MB, maxJobMs: MAX_PARSE_MS };
  const parser = openThread<Uint8Array, Report>(join(import.meta.dirname, 'parse-thread'), thread);
  const readReturnPath = returnPathReader(config);
  const ctx = { db, log, metrics, parser, readReturnPath, redis };
  const round = () =>
    processReports(ctx).catch((error) => {
      log[isUnavailable(error) ? 'debug' : 'error']({ error }, 'reports_not_processed');
      return false;
    });
  const loop = startLoop(round, POLL_MS);
  let gathering: NodeJS.Timeout | undefined;
  return {
    wake() {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        loop.wake();
      }, GATHER_MS);
    },
    async stop() {
      clearTimeout(gathering);
      await loop.stop();
      await parser.close();
    },
  };
}
