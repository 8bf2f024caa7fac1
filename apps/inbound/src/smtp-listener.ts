import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import {
  createReturnPathParser,
  insertReports,
  type ReceivedReport,
  type ReturnPathEnvelope,
} from '@posthorn/domain/bounces';
import { toBounceHost } from '@posthorn/domain/domains';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures } from '@posthorn/platform/batching';
import type { Config } from '@posthorn/platform/config';
import { failpoint } from '@posthorn/platform/failpoints';
import type { Db } from '@posthorn/platform/postgres';
import type { Gauge } from 'prom-client';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { InboundMetrics } from './metrics.js';

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
  const readRecipient = createRecipientReader(config);
  const ctx = { log, metrics, readRecipient, store: createReportStore(db) };
  const server: SMTPServer = new SMTPServer({
    ...buildServerOptions(config),
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

function createReportStore(db: Db): (report: ReceivedReport) => Promise<void> {
  async function insert(reports: ReceivedReport[]): Promise<undefined[]> {
    await insertReports(db, reports);
    return reports.map(() => undefined);
  }
  return groupCalls<ReceivedReport, undefined>((reports) => isolateFailures(reports, insert), {
    max: MAX_REPORTS,
    weigh: ({ raw }) => raw.length,
    maxWeight: MAX_BYTES,
  });
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

/** Says what a recipient of a report stands for. */
type ReadRecipient = (address: string) => { readonly envelope: ReturnPathEnvelope | null };

/**
 * Only addresses that we created, and the address for complaints, take mail. Everything else is refused before the
 * message is sent, so nothing is relayed, and we never have to send a bounce (RFC 5321, 3.6.2). It takes no query.
 * @returns a function that throws SmtpRefusal
 */
function createRecipientReader(
  config: Pick<Config, 'secretKey' | 'previousSecretKeys' | 'platformSenderDomain'>,
): ReadRecipient {
  const parseReturnPath = createReturnPathParser(config);
  const complaints = `fbl@${toBounceHost(config.platformSenderDomain)}`;
  return (address) => {
    if (address.toLowerCase() === complaints) return { envelope: null };
    const envelope = parseReturnPath(address);
    if (envelope) return { envelope };
    throw new SmtpRefusal(550, '5.1.1 This address does not exist. Only bounces and complaints are accepted here');
  };
}

/** @throws SmtpRefusal */
function assertRoom(recipients: number): void {
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
async function readMessage(stream: SMTPServerDataStream): Promise<ReceivedMessage> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    const room = limits.storedReportBytes.max - size;
    if (room > 0) kept.push(chunk.subarray(0, room));
    size += chunk.length;
  }
  if (stream.sizeExceeded) throw new SmtpRefusal(552, `5.3.4 The limit is ${limits.reportBytes.max} bytes`);
  return { raw: Buffer.concat(kept), size, digest: hash.digest() };
}

/**
 * Counts the connections, and limits how many of them an IP address has and how long each lasts, so that neither one
 * client nor clients that send a byte every few seconds can occupy them all. Senders repeat a message that got no 250.
 *
 * A socket's `close` event does not say when a connection ends: smtp-server removes all listeners when TLS begins.
 * @param server is only called later
 */
export function limitConnections(
  server: () => SMTPServer,
  { open, maxMs }: { readonly open: Gauge; readonly maxMs: number },
): Pick<SMTPServerOptions, 'onConnect' | 'onClose'> {
  const sessionsByAddress = new Map<string, Map<string, NodeJS.Timeout>>();

  function end(id: string): void {
    for (const connection of server().connections)
      if (connection.id === id) connection.send(421, 'The connection has lasted too long. Connect again');
  }

  return {
    onConnect({ id, remoteAddress }, callback) {
      const sessions = sessionsByAddress.get(remoteAddress) ?? new Map();
      if (sessions.size >= limits.inboundClientsPerAddress.max) {
        callback(new SmtpRefusal(421, '4.7.0 Too many connections from your address. Try again later'));
        return;
      }
      sessionsByAddress.set(remoteAddress, sessions.set(id, setTimeout(end, maxMs, id)));
      open.inc();
      callback();
    },
    onClose({ id, remoteAddress }) {
      const sessions = sessionsByAddress.get(remoteAddress);
      // Connections that were refused are missing.
      const timer = sessions?.get(id);
      if (sessions === undefined || timer === undefined) return;
      clearTimeout(timer);
      sessions.delete(id);
      if (sessions.size === 0) sessionsByAddress.delete(remoteAddress);
      open.dec();
    },
  };
}

/** An error with the reply that the client gets: a code (RFC 5321, 4.2) and a text that begins with an enhanced code. */
class SmtpRefusal extends Error {
  override name = 'SmtpRefusal';

  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}
