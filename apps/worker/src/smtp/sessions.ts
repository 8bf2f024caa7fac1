import type { Connection } from './connection.js';
import { isAccepted, type SmtpReply } from './reply.js';
import type { Timeouts } from './timeouts.js';
import type { Transaction } from './transaction.js';

/** Sessions with one relay that are kept open between messages. */
export type Sessions = {
  take(): Connection | undefined;
  /**
   * @param transaction the last transaction in this session, which may have left the session unusable
   * @returns a promise that settles when the session is idle or closed. If the caller continued earlier, the next
   *   message would open another session.
   */
  release(connection: Connection, transaction: Transaction): Promise<void>;
  countIdle(): number;
  close(): void;
};

type Idle = { connection: Connection; since: number };

/** The session that was used last is taken first, so that surplus sessions stay idle and are closed. */
export function openSessions({ idleMs, rsetAndQuitMs }: Timeouts): Sessions {
  let idle: Idle[] = [];
  let isClosed = false;
  const reaper = setInterval(closeAged, idleMs / 4).unref();

  function closeAged(): void {
    const aged = idle.filter(({ since }) => Date.now() - since > idleMs);
    idle = idle.filter((entry) => !aged.includes(entry));
    for (const { connection } of aged) void quit(connection, rsetAndQuitMs);
  }

  function keep(connection: Connection): void {
    if (isClosed) void quit(connection, rsetAndQuitMs);
    else idle.push({ connection, since: Date.now() });
  }

  return {
    take() {
      for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
        if (isReusable(entry.connection)) return entry.connection;
        entry.connection.close();
      }
      return undefined;
    },
    async release(connection, transaction) {
      const { end, phase, suspicion } = transaction;
      // After a reply in the middle of the message, the server would read our next command as message text.
      const isUnusable = end !== 'completed' || phase === 'data' || suspicion === 'session';
      if (isUnusable || isUsedUp(connection, transaction) || !connection.isOpen) connection.close();
      else if (phase === 'reply') keep(connection);
      // After a refusal during the envelope, the unfinished transaction must be reset.
      else await reset(connection, rsetAndQuitMs, keep);
    },
    countIdle: () => idle.length,
    close() {
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
export function isUsedUp({ hasCarriedMail }: Connection, { phase, suspicion }: Transaction): boolean {
  return phase === 'envelope' && (suspicion === 'session' || (suspicion === 'sender' && hasCarriedMail));
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
