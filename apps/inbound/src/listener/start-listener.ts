import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { bounceHost } from '@posthorn/domain/domains';
import { insertReports, type ReceivedReport } from '@posthorn/domain/feedback';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { grouped, isolateFailures } from '@posthorn/platform/batching';
import type { Config } from '@posthorn/platform/config';
import { failpoint } from '@posthorn/platform/failpoints';
import type { Db } from '@posthorn/platform/postgres';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { InboundMetrics } from '../metrics.js';
import { limitConnections } from './limit-connections.js';
import { readMessage } from './read-message.js';
import { assertRoom, type ReadRecipient, recipientReader } from './recipients.js';
import { SmtpRefusal } from './smtp-refusal.js';

/** A client that says nothing for this long is disconnected (RFC 5321, 4.5.3.2.7). */
const IDLE_MS = 300_000;
const MAX_SESSION_MS = limits.inboundSessionMinutes.max * 60_000;
/** How long `close` waits for clients that are sending a message. */
const CLOSE_TIMEOUT_MS = 10_000;

export type Listener = { readonly port: number; close(): Promise<void> };

/** How many reports one statement stores, and their bytes. */
const MAX_REPORTS = 100;
const MAX_BYTES = 2_000_000;

type ListenerContext = Pick<Context, 'log'> & {
  readonly metrics: InboundMetrics;
  readonly readRecipient: ReadRecipient;
  /** Stores a report, together with others that arrive at the same time. */
  readonly store: (report: ReceivedReport) => Promise<void>;
};

/**
 * The bounce flow, first part, from a connection to a stored report: check the recipient -> read the message -> store it
 * -> 250. The report is read later, so a strange one cannot hold up the connection.
 * @param onReport called after a report was stored
 */
export async function startListener(
  { config, db, log, metrics }: Pick<Context, 'config' | 'db' | 'log'> & { readonly metrics: InboundMetrics },
  { onReport }: { onReport: () => void },
): Promise<Listener> {
  const readRecipient = recipientReader(config);
  const ctx = { log, metrics, readRecipient, store: reportStore(db) };
  const server: SMTPServer = new SMTPServer({
    ...serverOptions(config),
    ...limitConnections(() => server, { open: metrics.connections, maxMs: MAX_SESSION_MS }),
    onRcptTo: ({ address }, { envelope }, callback) => {
      answer(callback, async () => {
        assertRoom(envelope.rcptTo.length);
        readOurRecipient(ctx, address);
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

/** @throws SmtpRefusal unless the recipient is ours */
function readOurRecipient({ readRecipient, metrics }: ListenerContext, address: string): void {
  try {
    readRecipient(address);
  } catch (error) {
    metrics.received.inc({ result: 'refused' });
    throw error;
  }
}

function reportStore(db: Db): (report: ReceivedReport) => Promise<void> {
  async function insert(reports: ReceivedReport[]): Promise<undefined[]> {
    await insertReports(db, reports);
    return reports.map(() => undefined);
  }
  return grouped<ReceivedReport, undefined>((reports) => isolateFailures(reports, insert), {
    max: MAX_REPORTS,
    weigh: ({ raw }) => raw.length,
    maxWeight: MAX_BYTES,
  });
}

function serverOptions({ platformSenderDomain, inboundTls }: Config): SMTPServerOptions {
  return {
    name: bounceHost(platformSenderDomain),
    banner: 'Posthorn takes bounces and complaints',
    authOptional: true,
    disabledCommands: ['AUTH', ...(inboundTls === null ? ['STARTTLS'] : [])],
    ...(inboundTls && { cert: readFileSync(inboundTls.certFile), key: readFileSync(inboundTls.keyFile) }),
    // The names of clients decide nothing, and finding them takes time.
    disableReverseLookup: true,
    size: limits.reportBytes.max,
    maxClients: limits.inboundClients.max,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
}

type Incoming = { readonly stream: SMTPServerDataStream; readonly session: SMTPServerSession };

/** @throws SmtpRefusal. If Postgres is unavailable, the sender keeps the report and sends it again later */
async function receive(
  { log, metrics, readRecipient, store }: ListenerContext,
  { stream, session }: Incoming,
): Promise<void> {
  const { raw, size, digest } = await readMessage(stream);
  const { rcptTo } = session.envelope;
  failpoint('before_report_commit');
  try {
    for (const { address } of rcptTo) {
      const ofRecipient = createHash('sha256').update(digest).update(address.toLowerCase()).digest();
      await store({ ...readRecipient(address), raw, size, digest: ofRecipient });
      metrics.received.inc({ result: 'stored' });
    }
  } catch (error) {
    metrics.received.inc({ result: 'failed' });
    log.warn({ error }, 'report_not_stored');
    throw new SmtpRefusal(451, '4.3.0 The report could not be stored. Try again later');
  }
  failpoint('after_report_commit');
}

type Callback = (error?: Error | null) => void;

/** Calls back with the error that the step throws. Any other error than a refusal is a temporary failure. */
function answer(callback: Callback, step: () => Promise<void>): void {
  step().then(
    () => callback(),
    (error) => callback(error instanceof SmtpRefusal ? error : new SmtpRefusal(451, '4.3.0 Try again later')),
  );
}
