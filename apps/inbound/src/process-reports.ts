import { join } from 'node:path';
import {
  type AppliedReport,
  applyReports,
  createReturnPathParser,
  giveBackReports,
  type InterpretedReport,
  interpretEvents,
  interpretReport,
  type LeasedReport,
  leaseReports,
  type ParseReturnPath,
  postponeReports,
} from '@posthorn/domain/bounces';
import { signalEvents } from '@posthorn/domain/events';
import { listRelayAddresses } from '@posthorn/domain/relays';
import type { Report } from '@posthorn/feedback';
import type { Context } from '@posthorn/platform';
import { assertNoOutage, isolateFailures } from '@posthorn/platform/batching';
import { failpoint } from '@posthorn/platform/failpoints';
import { isUnavailable } from '@posthorn/platform/postgres';
import { startLoop, type WakeableLoop } from '@posthorn/platform/processes';
import { startThread, type Thread, ThreadStoppedError } from '@posthorn/threads';
import { type AuthenticateComplaint, startAuthenticating } from './authenticate-complaint.js';
import type { InboundMetrics } from './metrics.js';
import { createRelayMatcher, type IsRelay } from './relay-peers.js';

/** How often to look for reports that wait, or that another process has left. */
const POLL_MS = 1_000;
/**
 * Reports that arrive within this time are applied together, because a transaction costs Postgres as much for one as
 * for several. Nobody waits for the result.
 */
const GATHER_MS = 200;
/** An ordinary report takes a few milliseconds. The strangest that we know take 30 ms. */
const MAX_PARSE_MS = 5_000;
const MAX_THREAD_HEAP_MB = 128;

/** Processes stored reports, whether this process or another one has received them. */
export function startProcessing({
  config,
  db,
  log,
  metrics,
  now,
  redis,
}: Pick<Context, 'config' | 'db' | 'log' | 'now' | 'redis'> & { readonly metrics: InboundMetrics }): WakeableLoop {
  const thread = { maxHeapMb: MAX_THREAD_HEAP_MB, maxJobMs: MAX_PARSE_MS };
  const parser = startThread<Uint8Array, Report>(join(import.meta.dirname, 'parse-thread'), thread);
  const parseReturnPath = createReturnPathParser(config);
  const isRelay = createRelayMatcher({ config, listRelayAddresses: () => listRelayAddresses(db) });
  const leasing = { limit: MAX_REPORTS };
  const ctx = { config, db, isRelay, leasing, log, metrics, now, parser, parseReturnPath, redis };
  const loop = startLoop(
    () => processReports(ctx),
    POLL_MS,
    (error) => log[isUnavailable(error) ? 'debug' : 'error']({ error }, 'reports_not_processed'),
  );
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

/**
 * How many reports one round leases. The strangest take 20 ms each, and what has been read is applied at the end of the
 * round, so more of them would delay the reports of others.
 */
const MAX_REPORTS = 10;
/** Events of providers need no parsing. A round that found nothing else is followed by one that leases so many. */
const MAX_EVENTS = 200;
/** How long the reports of a process that died wait for another one. */
const LEASE_SECONDS = 30;
/** After this time, the reports that are left go back, so that those that have been read are applied soon. */
const MAX_READING_MS = 250;
/** A report that stops the parser's thread, or whose signature DNS does not let us check, is leased this many times. */
const MAX_LEASES = 3;
/** How long a report waits that could not be parsed or applied. */
const RETRY_SECONDS = 60;

type ProcessingContext = Pick<Context, 'config' | 'db' | 'log' | 'now' | 'redis'> & {
  /** Parses messages in a thread, with a time limit. */
  readonly parser: Thread<Uint8Array, Report>;
  /** How many reports the next round leases. */
  readonly leasing: { limit: number };
  readonly metrics: InboundMetrics;
  readonly parseReturnPath: ParseReturnPath;
  readonly isRelay: IsRelay;
};

/**
 * The bounce flow, second part, from stored reports to the states of recipients: lease -> parse -> authenticate
 * -> apply.
 * @returns whether more reports may be due
 */
async function processReports(ctx: ProcessingContext): Promise<boolean> {
  const leased = await leaseReports(ctx.db, { limit: ctx.leasing.limit, leaseSeconds: LEASE_SECONDS });
  const isEvent = ({ relayId }: LeasedReport) => relayId !== null;
  const mail = leased.filter((report) => !isEvent(report));
  ctx.leasing.limit = mail.length === 0 && leased.length > 0 ? MAX_EVENTS : MAX_REPORTS;
  const surplus = mail.splice(MAX_REPORTS);
  if (surplus.length > 0) await giveBackReports(ctx.db, surplus);
  const events = await interpretEvents(ctx.db, leased.filter(isEvent), ctx.now());
  const authenticating = startAuthenticating(ctx);
  const reports = await readReports(ctx, mail, authenticating.authenticate).finally(authenticating.close);
  const read = [...events, ...reports].toSorted((one, two) => (one.id < two.id ? -1 : 1));
  if (read.length === 0) return leased.length > 0;
  failpoint('before_reports_applied');
  if (await applyTogether(ctx, read)) signalEvents(ctx);
  countReports(ctx.metrics, reports);
  failpoint('after_reports_applied');
  return true;
}

async function readReports(
  ctx: ProcessingContext,
  leased: readonly LeasedReport[],
  authenticate: AuthenticateComplaint,
): Promise<InterpretedReport[]> {
  const readUntil = performance.now() + MAX_READING_MS;
  const read: InterpretedReport[] = [];
  let done = 0;
  for (const report of leased) {
    if (performance.now() > readUntil) break;
    const interpreted = await readReport(ctx, report, authenticate);
    if (interpreted) read.push(interpreted);
    else await postponeReports(ctx.db, [report.id], RETRY_SECONDS);
    done += 1;
  }
  const left = leased.slice(done);
  if (left.length > 0) await giveBackReports(ctx.db, left);
  return read;
}

function countReports({ processed, reported }: InboundMetrics, reports: readonly InterpretedReport[]): void {
  for (const { kind, recipients } of reports) {
    processed.inc({ kind });
    for (const { event } of recipients) reported.inc({ event });
  }
}

/** @returns null if it has to be read again later */
async function readReport(
  ctx: ProcessingContext,
  report: LeasedReport,
  authenticate: AuthenticateComplaint,
): Promise<InterpretedReport | null> {
  const parsed = await parse(ctx, report);
  if (parsed === 'again') return null;
  const isSigned = parsed.kind === 'feedback_report' && (await authenticate(report.raw));
  // If DNS still does not answer, the complaint suppresses its address like any other that nobody has signed.
  if (isSigned === 'unknown' && report.tries < MAX_LEASES) return null;
  const isFromRelay = parsed.kind === 'dsn' && (await ctx.isRelay(report.peer));
  const { parseReturnPath } = ctx;
  return interpretReport(report, parsed, { isFromRelay, isSigned: isSigned === true, parseReturnPath });
}

/** Events that wait for our own record of their mail count when that comes, or when they are dropped. */
function countEvents(
  { log, metrics }: ProcessingContext,
  reports: readonly InterpretedReport[],
  applied: readonly AppliedReport[],
): void {
  for (const { id, envelope, provider, recipients } of reports) {
    const result = applied.find((each) => each.id === id)?.result ?? null;
    if (!provider || result === null) continue;
    metrics.providerEvents.inc({ feedback: provider.feedback ?? 'erased', result });
    const failed = recipients.find(({ event }) => event === 'failed');
    if (failed && result === 'applied')
      log.warn({ email: envelope?.emailId, relay: provider.relayId, reason: failed.text }, 'provider_did_not_send');
  }
}

/**
 * Mail to a mailbox for the operator is no report. A report that cannot be parsed changes nothing. A stopped thread may
 * only mean that the process stood still for a while, so the report is parsed again before it counts as unreadable.
 */
async function parse(
  { log, parser }: ProcessingContext,
  { id, mailbox, raw, tries }: LeasedReport,
): Promise<Report | { kind: 'unreadable' } | 'again'> {
  if (mailbox !== null && mailbox !== 'fbl') return { kind: 'other' };
  try {
    return await parser.run(raw);
  } catch (error) {
    if (error instanceof ThreadStoppedError && tries < MAX_LEASES) return 'again';
    log.warn({ error, report: id }, 'report_unreadable');
    return { kind: 'unreadable' };
  }
}

/** If Postgres refuses one of the reports, the others are applied without it. @returns whether there are new events */
async function applyTogether(ctx: ProcessingContext, reports: readonly InterpretedReport[]): Promise<boolean> {
  async function apply(group: InterpretedReport[]): Promise<boolean[]> {
    const { hasEvents, applied } = await applyReports(ctx, group);
    countEvents(ctx, group, applied);
    return group.map(() => hasEvents);
  }
  async function onRefused({ id }: InterpretedReport, error: unknown): Promise<void> {
    ctx.log.error({ error, report: id }, 'report_not_applied');
    await postponeReports(ctx.db, [id], RETRY_SECONDS);
  }
  const results = await isolateFailures(reports, apply, { onRefused });
  assertNoOutage(results);
  return results.includes(true);
}
