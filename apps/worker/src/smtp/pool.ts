import type { Span } from '@posthorn/platform/traces';
import type { NodemailerError } from 'nodemailer/lib/errors';
import { type Connection, connectTraced, type Relay, RouteFault } from './connection.js';
import { AHEAD_MS } from './relay-limits.js';
import { isAccepted, type SmtpReply } from './reply.js';
import type { OutgoingMessage } from './send-message.js';
import { openSessionLimit } from './session-limit.js';
import { type SharedSessions, UNLIMITED } from './shared-sessions.js';
import type { Timeouts } from './timeouts.js';
import { runTransaction, toFaultText } from './transaction.js';
import type { Transaction } from './transaction-result.js';

/** @property open including those that are idle. @property opened since the process started */
export type SessionCounts = Readonly<Record<'open' | 'idle' | 'opened' | 'failed', number>>;

export type Pool<Place = void> = ReturnType<typeof openPool<Place>>;

/**
 * What a pool needs to know of the server, or the servers, that its sessions lead to. If there are several, `Place` says
 * which of them a message should go to.
 */
export type Server<Place = void> = {
  readonly timeouts: Timeouts;
  /** After so many messages, a session is closed. */
  readonly messagesPerConnection: number;
  /** @throws RouteFault */
  readonly connect: (span: Span | undefined, onClose: () => void, place: Place) => Promise<Connection>;
  /** Whether a session leads to this place. If no idle one does, a new one is opened, as far as the limits allow. */
  readonly isAt?: (connection: Connection, place: Place) => boolean;
  /** Whether an idle session may still be used. */
  readonly isWelcome?: (connection: Connection) => boolean;
};

/** A relay with one server. */
export function toServer(relay: Relay): Server {
  const connect: Server['connect'] = (span, onClose) => connectTraced(relay, span, onClose);
  return { timeouts: relay.timeouts, messagesPerConnection: Number.POSITIVE_INFINITY, connect };
}

/** Sessions with one relay, kept open between messages. The worker's slots limit the number of sessions. */
export function openPool<Place = void>(server: Server<Place>, shared: SharedSessions = UNLIMITED) {
  const sessions = openSessions(server);
  const { isAt = () => true } = server;
  const { counts, limit, open } = createOpener(server, shared);
  const run = createRunner(server.timeouts);
  const room = createRoomEstimate(counts);

  async function sendOver(connection: Connection, outgoing: OutgoingMessage): Promise<Transaction> {
    const transaction = await run(connection, outgoing);
    await sessions.release(connection, transaction);
    room.noteSent();
    limit.free();
    return namingHost(connection, transaction);
  }

  async function send(outgoing: OutgoingMessage, place: Place): Promise<Transaction> {
    const used = sessions.take((connection) => limit.isReached() || isAt(connection, place));
    if (used) return sendOverUsed(used, outgoing, place);
    if (!limit.isReached()) return sendOverNew(outgoing, place);
    await limit.untilFreed();
    return send(outgoing, place);
  }

  /** If the idle session is no longer usable, the message is sent over a new one. */
  async function sendOverUsed(used: Connection, outgoing: OutgoingMessage, place: Place): Promise<Transaction> {
    const transaction = await sendOver(used, outgoing);
    return isUsedUp(used, transaction) ? sendOverNew(outgoing, place) : transaction;
  }

  async function sendOverNew(outgoing: OutgoingMessage, place: Place): Promise<Transaction> {
    const opened = await open(outgoing, place);
    if (opened instanceof RouteFault) return toRouteFault(opened);
    if (opened !== 'refused' && opened !== 'full') return sendOver(opened, outgoing);
    if (opened === 'full') room.noteFull();
    const elsewhere = sessions.take(() => true);
    if (elsewhere) return sendOverUsed(elsewhere, outgoing, place);
    return opened === 'refused' || (await limit.untilFreed(AHEAD_MS)) ? send(outgoing, place) : BUSY;
  }

  return {
    /** If no session can be opened, the `end` of the result is `route_fault`. */
    send,
    countRoom: room.count,
    countSessions: (): SessionCounts => ({ ...counts, idle: sessions.countIdle() }),
    close: () => closeAll(sessions, shared),
  };
}

/**
 * A relay that is overloaded or restarts may close the connection after its 354. If it does so after the final dot was
 * sent, nobody knows whether it has the message. So the first dot of a session waits a moment. Once the relay has closed
 * a connection without replying to a dot, all dots wait longer, until it has replied to one.
 */
function createRunner(timeouts: Timeouts) {
  let cautiousMs = 0;
  return async (connection: Connection, outgoing: OutgoingMessage): Promise<Transaction> => {
    const beforeDotMs = Math.max(cautiousMs, connection.messages > 0 ? 0 : timeouts.firstDotMs);
    const transaction = await runTransaction(connection, outgoing, { timeouts, beforeDotMs });
    if (transaction.phase !== 'reply') return transaction;
    connection.messages += 1;
    cautiousMs = transaction.end === 'ambiguous' ? timeouts.cautiousDotMs : 0;
    return transaction;
  };
}

function closeAll(...parts: ReadonlyArray<{ close(): void }>): void {
  for (const part of parts) part.close();
}

function namingHost({ host }: Connection, transaction: Transaction): Transaction {
  return host === null ? transaction : { ...transaction, conversation: [`-- ${host}`, ...transaction.conversation] };
}

/** How many emails a session is expected to send until the next look, as long as nothing is known. */
const EMAILS_PER_SESSION = 5;
/** How long a worker leaves emails to others that have the sessions. */
const NO_ROOM_MS = 1_000;

/**
 * How many emails that wait for a session are worth claiming: twice as many as were sent since the last call. A worker
 * that has no session, and has just been refused one, leaves them to others.
 */
function createRoomEstimate(counts: { readonly open: number }) {
  let sent = 0;
  let fullUntil = 0;
  return {
    noteSent(): void {
      sent += 1;
    },
    noteFull(): void {
      fullUntil = performance.now() + NO_ROOM_MS;
    },
    count(): number {
      const room = Math.max(EMAILS_PER_SESSION * counts.open, 2 * sent);
      sent = 0;
      return room === 0 && performance.now() > fullUntil ? 1 : room;
    },
  };
}

/** All workers together have as many sessions as they may, and none of them is free. */
const BUSY: Transaction = {
  ...{ phase: 'connect', end: 'busy', suspicion: null, replies: new Map(), conversation: [] },
  ...{ fault: 'All sessions with the relay are in use', faultCode: null },
};

/** Opens sessions, counts them, and learns how many the relay allows. */
function createOpener<Place>({ connect }: Server<Place>, shared: SharedSessions) {
  const counts = { open: 0, opened: 0, failed: 0 };
  let opening = 0;
  const limit = openSessionLimit(() => counts.open + opening);

  /**
   * @returns `refused` if the relay refused another session besides those that there are, and `full` if we refuse it
   *   because of the other workers
   */
  async function open({ span }: OutgoingMessage, place: Place): Promise<Connection | RouteFault | 'refused' | 'full'> {
    const right = await shared.take();
    if (right === null) return 'full';
    opening += 1;
    try {
      const onClose = () => {
        counts.open -= 1;
        shared.giveBack(right);
        limit.free();
      };
      const connection = await connect(span, onClose, place);
      opening -= 1;
      counts.open += 1;
      counts.opened += 1;
      limit.allow();
      return connection;
    } catch (error) {
      opening -= 1;
      counts.failed += 1;
      shared.giveBack(right);
      if (!(error instanceof RouteFault)) throw error;
      return limit.learn(error.cause) ? 'refused' : error;
    } finally {
      limit.free();
    }
  }

  return { counts, limit, open };
}

function toRouteFault(error: RouteFault): Transaction {
  return {
    phase: 'connect',
    end: 'route_fault',
    suspicion: 'session',
    replies: new Map(),
    fault: toFaultText(error),
    faultCode: findFaultCode(error.cause),
    conversation: error.conversation,
  };
}

/** Any nodemailer error. Only a reply from the server has a `responseCode`. */
type SmtpError = Error & Partial<Pick<NodemailerError, 'code' | 'originalCode' | 'responseCode'>>;

/**
 * The code of the fault, such as `421` or `ECONNREFUSED`. The server's text is not logged, because it may name a
 * recipient.
 */
function findFaultCode({ responseCode, originalCode, code }: SmtpError): string | null {
  return responseCode?.toString() ?? originalCode ?? code ?? null;
}

type Idle = { connection: Connection; since: number };

/**
 * Sessions with one relay that are kept open between messages. The session that was used last is taken first, so that
 * surplus sessions stay idle and are closed.
 */
function openSessions({
  timeouts: { idleMs, rsetAndQuitMs },
  messagesPerConnection,
  isWelcome = () => true,
}: Pick<Server, 'timeouts' | 'messagesPerConnection' | 'isWelcome'>) {
  let idle: Idle[] = [];
  let isClosed = false;
  const reaper = setInterval(closeAged, idleMs / 4).unref();

  function closeAged(): void {
    const aged = idle.filter(({ since }) => performance.now() - since > idleMs);
    idle = idle.filter((entry) => !aged.includes(entry));
    for (const { connection } of aged) void quit(connection, rsetAndQuitMs);
  }

  function keep(connection: Connection): void {
    if (isClosed || connection.messages >= messagesPerConnection) void quit(connection, rsetAndQuitMs);
    else idle.push({ connection, since: performance.now() });
  }

  return {
    take(isWanted: (connection: Connection) => boolean): Connection | undefined {
      for (let entry = idle.findLast(wants); entry !== undefined; entry = idle.findLast(wants)) {
        idle.splice(idle.lastIndexOf(entry), 1);
        if (isReusable(entry.connection) && isWelcome(entry.connection)) return entry.connection;
        entry.connection.close();
      }
      return undefined;

      function wants({ connection }: Idle): boolean {
        return isWanted(connection);
      }
    },
    /**
     * @param transaction the last transaction in this session, which may have left the session unusable
     * @returns a promise that settles when the session is idle or closed. If the caller continued earlier, the next
     *   message would open another session.
     */
    async release(connection: Connection, transaction: Transaction): Promise<void> {
      const { end, phase, suspicion } = transaction;
      // After a reply in the middle of the message, the server would read our next command as message text.
      const isUnusable = end !== 'completed' || phase === 'data' || suspicion === 'session';
      if (isUnusable || isUsedUp(connection, transaction) || !connection.isOpen) connection.close();
      else if (phase === 'reply') keep(connection);
      // After a refusal during the envelope, the unfinished transaction must be reset.
      else await reset(connection, rsetAndQuitMs, keep);
    },
    countIdle: () => idle.length,
    close(): void {
      isClosed = true;
      clearInterval(reaper);
      for (const { connection } of idle) void quit(connection, rsetAndQuitMs);
      idle = [];
    },
  };
}

/**
 * Whether a session seems to have failed during the envelope because of its earlier use. It may have been idle for too
 * long. Servers also limit the number of messages per session: at the limit, Exim replies 421 to MAIL and closes the
 * connection, but OpenSMTPD replies 452 and keeps it open.
 */
function isUsedUp({ messages }: Connection, { phase, suspicion }: Transaction): boolean {
  return phase === 'envelope' && (suspicion === 'session' || (suspicion === 'sender' && messages > 0));
}

/** A reply that arrived while the session was idle would be mistaken for the reply to the next command. */
function isReusable({ isOpen, dialogue }: Connection): boolean {
  return isOpen && !dialogue.isReadable();
}

/** Closes the connection if the reply takes too long, because waiting for the reply would keep our process alive. */
async function execute(
  { dialogue, close }: Connection,
  command: 'RSET' | 'QUIT',
  timeoutMs: number,
): Promise<SmtpReply> {
  const timer = setTimeout(close, timeoutMs).unref();
  try {
    dialogue.send([command]);
    return await dialogue.readReply();
  } finally {
    clearTimeout(timer);
  }
}

async function quit(connection: Connection, timeoutMs: number): Promise<void> {
  await execute(connection, 'QUIT', timeoutMs).catch(() => {});
  connection.close();
}

async function reset(connection: Connection, timeoutMs: number, keep: (connection: Connection) => void): Promise<void> {
  const reply = await execute(connection, 'RSET', timeoutMs).catch(() => null);
  // The conversation of the next email must not begin with RSET.
  connection.conversation.take();
  if (reply !== null && isAccepted(reply)) keep(connection);
  else connection.close();
}
