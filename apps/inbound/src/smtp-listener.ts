import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { insertReports, type ReceiptOutcome, type ReceivedReport } from '@posthorn/domain/bounces';
import { toBounceHost } from '@posthorn/domain/domains';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures } from '@posthorn/platform/batching';
import type { Config } from '@posthorn/platform/config';
import { failpoint } from '@posthorn/platform/failpoints';
import { normalizeIpAddress, toClientNetwork } from '@posthorn/platform/network';
import type { Db } from '@posthorn/platform/postgres';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { limitConnections } from './limit-connections.js';
import type { InboundMetrics } from './metrics.js';
import { createPeerLimits, type PeerLimits } from './peer-limits.js';
import { createRecipientReader, type ReadRecipient } from './recipient-reader.js';
import { answer, SmtpRefusal } from './smtp-refusal.js';

/** A client that says nothing for this long is disconnected (RFC 5321, 4.5.3.2.7). */
const IDLE_MS = 300_000;
const MAX_SESSION_MS = limits.inboundSessionMinutes.max * 60_000;
/** How long `close` waits for clients that are sending a message. */
const CLOSE_TIMEOUT_MS = 10_000;

type Listener = { readonly port: number; close(): Promise<void> };

/** How many reports one statement stores, and their bytes. */
const MAX_REPORTS = 100;
const MAX_BYTES = 2_000_000;

type ListenerContext = Pick<Context, 'log'> & {
  readonly metrics: InboundMetrics;
  readonly peers: PeerLimits;
  readonly readRecipient: ReadRecipient;
  /** Stores a report, together with others that arrive at the same time. */
  readonly store: (report: ReceivedReport) => Promise<ReceiptOutcome>;
};

/**
 * The bounce flow, first part, from a connection to a stored report: check the peer and the recipient -> read the message
 * -> store it -> 250. The report is read later, so a strange one cannot hold up the connection.
 * @param onReport called after a report was stored
 */
export async function startListener(
  { config, db, log, metrics }: Pick<Context, 'config' | 'db' | 'log'> & { readonly metrics: InboundMetrics },
  { onReport }: { onReport: () => void },
): Promise<Listener> {
  const readRecipient = createRecipientReader({ config, db });
  const ctx = { log, metrics, readRecipient, peers: createPeerLimits(), store: createReportStore(db) };
  const server: SMTPServer = new SMTPServer({
    ...buildServerOptions(config),
    ...limitConnections(() => server, { open: metrics.connections, maxMs: MAX_SESSION_MS }),
    onMailFrom: (_sender, { remoteAddress }, callback) => {
      answer(callback, async () => ctx.peers.assertBelowLimits(remoteAddress));
    },
    onRcptTo: ({ address }, session, callback) => {
      answer(callback, async () => {
        assertFewRecipients(session.envelope.rcptTo.length);
        await readOurRecipient(ctx, address, session);
      });
    },
    onData: (stream, session, callback) => {
      answer(callback, async () => {
        await receive(ctx, { stream, session });
        onReport();
      });
    },
  });
  // A client that breaks off is no concern of ours.
  server.on('error', (error) => log.debug({ error }, 'inbound_connection_failed'));
  server.listen(config.inboundPort, config.inboundHost);
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A query counts as a message, so that nobody can ask for any number of them. @throws SmtpRefusal unless it is ours */
async function readOurRecipient(
  { metrics, peers, readRecipient }: ListenerContext,
  address: string,
  { remoteAddress }: SMTPServerSession,
): Promise<void> {
  try {
    await readRecipient(address, () => {
      peers.assertBelowLimits(remoteAddress);
      peers.countMessage(remoteAddress);
    });
  } catch (error) {
    if (error instanceof SmtpRefusal) metrics.received.inc({ result: 'refused' });
    throw error;
  }
}

function createReportStore(db: Db): (report: ReceivedReport) => Promise<ReceiptOutcome> {
  return groupCalls<ReceivedReport, ReceiptOutcome>(
    (reports) => isolateFailures(reports, (group) => insertReports(db, group)),
    { max: MAX_REPORTS, weigh: ({ raw }) => raw.length, maxWeight: MAX_BYTES },
  );
}

function buildServerOptions({ platformSenderDomain, inboundTls }: Config): SMTPServerOptions {
  return {
    name: toBounceHost(platformSenderDomain),
    banner: 'Posthorn takes bounces and complaints',
    authOptional: true,
    disabledCommands: ['AUTH', ...(inboundTls === null ? ['STARTTLS'] : [])],
    ...(inboundTls && { cert: readFileSync(inboundTls.certFile), key: readFileSync(inboundTls.keyFile) }),
    // The names of clients decide nothing, and finding them takes time.
    disableReverseLookup: true,
    size: limits.reportBytes.max,
    // Connections that end to make room for others still count here for a moment.
    maxClients: 2 * limits.inboundClients.max,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
}

type Incoming = { readonly stream: SMTPServerDataStream; readonly session: SMTPServerSession };

/** @throws SmtpRefusal. If Postgres is unavailable, the sender keeps the report and sends it again later */
async function receive(ctx: ListenerContext, { stream, session }: Incoming): Promise<void> {
  const { log, metrics, peers, store } = ctx;
  const { remoteAddress } = session;
  peers.countMessage(remoteAddress);
  const message = await readMessage(stream, (bytes) => peers.countBytes(remoteAddress, bytes));
  failpoint('before_report_commit');
  const outcomes = new Set<ReceiptOutcome>();
  try {
    for (const report of await listReports(ctx, message, session)) {
      const outcome = await store(report);
      outcomes.add(outcome);
      metrics.received.inc({ result: RESULTS[outcome] });
    }
  } catch (error) {
    metrics.received.inc({ result: 'failed' });
    log.warn({ error }, 'report_not_stored');
    throw new SmtpRefusal(451, '4.3.0 The report could not be stored. Try again later');
  }
  assertTaken(outcomes);
  failpoint('after_report_commit');
}

const RESULTS: Readonly<Record<ReceiptOutcome, string>> = {
  stored: 'stored',
  no_room: 'failed',
};

/** The sender tries again later. What is stored already is not stored again. @throws SmtpRefusal */
function assertTaken(outcomes: ReadonlySet<ReceiptOutcome>): void {
  if (outcomes.has('no_room')) throw new SmtpRefusal(451, '4.3.2 Too many reports are waiting. Try again later');
}

/** One report for each email and mailbox among the recipients, however often and however spelled they were named. */
async function listReports(
  { readRecipient }: ListenerContext,
  { digest, ...message }: ReceivedMessage,
  { envelope, remoteAddress }: SMTPServerSession,
): Promise<ReceivedReport[]> {
  const reports = new Map<string, ReceivedReport>();
  for (const { address } of envelope.rcptTo) {
    const recipient = await readRecipient(address);
    const about = recipient.mailbox ?? JSON.stringify(recipient.envelope);
    const peer = toNetworkOrNull(remoteAddress);
    const ofRecipient = createHash('sha256').update(digest).update(about).digest();
    reports.set(about, { ...recipient, ...message, peer, digest: ofRecipient });
  }
  return [...reports.values()];
}

function toNetworkOrNull(remoteAddress: string): string | null {
  return normalizeIpAddress(remoteAddress) && toClientNetwork(remoteAddress);
}

/** @throws SmtpRefusal */
function assertFewRecipients(recipients: number): void {
  if (recipients < limits.reportRecipients.max) return;
  throw new SmtpRefusal(452, '4.5.3 Too many recipients');
}

type ReceivedMessage = {
  /** The beginning of the message. A report comes before the message that it returns, so nothing else is needed. */
  readonly raw: Buffer;
  readonly size: number;
  /** SHA-256 of the whole message. */
  readonly digest: Buffer;
};

/**
 * Reads a message to its end, however long it is, but keeps only the beginning in memory.
 * @throws SmtpRefusal if it is larger than a message may be
 */
async function readMessage(stream: SMTPServerDataStream, onBytes: (count: number) => void): Promise<ReceivedMessage> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    onBytes(chunk.length);
    hash.update(chunk);
    const room = limits.storedReportBytes.max - size;
    if (room > 0) kept.push(chunk.subarray(0, room));
    size += chunk.length;
  }
  if (stream.sizeExceeded) throw new SmtpRefusal(552, `5.3.4 The limit is ${limits.reportBytes.max} bytes`);
  return { raw: Buffer.concat(kept), size, digest: hash.digest() };
}
