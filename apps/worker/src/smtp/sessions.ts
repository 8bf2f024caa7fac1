import type { Connection } from './connection.js';
import { isAccepted, type SmtpReply } from './reply.js';
import type { Timeouts } from './timeouts.js';
import type { Transaction } from './transaction.js';

/** Sessions to one relay that are kept open between messages. */
export type Sessions = {
  take(): Connection | undefined;
  /**
   * @param transaction what the session carried last; it may have left it unfit for more
   * @returns once the session may carry the next message, or is closed: sooner its owner would open another
   */
  giveBack(connection: Connection, transaction: Transaction): Promise<void>;
  close(): void;
};

type Idle = { connection: Connection; since: number };

/** The newest idle session is taken first, so that surplus ones age and are closed. */
export function openSessions({ idleMs, partingMs }: Timeouts): Sessions {
  let idle: Idle[] = [];
  let isClosed = false;
  const reaper = setInterval(closeAged, idleMs / 4).unref();

  function closeAged(): void {
    const aged = idle.filter(({ since }) => Date.now() - since > idleMs);
    idle = idle.filter((entry) => !aged.includes(entry));
    for (const { connection } of aged) void quit(connection, partingMs);
  }

  function keep(connection: Connection): void {
    if (isClosed) void quit(connection, partingMs);
    else idle.push({ connection, since: Date.now() });
  }

  return {
    take() {
      for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
        if (isFit(entry.connection)) return entry.connection;
        entry.connection.close();
      }
      return undefined;
    },
    async giveBack(connection, { end, phase }) {
      // Answered in the midst of the message, the server would read our next command as its text.
      if (end !== 'answered' || phase === 'data' || !connection.isOpen) connection.close();
      else if (phase === 'reply') keep(connection);
      // Refused in the envelope: the half-done transaction is dropped before the next begins.
      else await reset(connection, partingMs, keep);
    },
    close() {
      isClosed = true;
      clearInterval(reaper);
      for (const { connection } of idle) void quit(connection, partingMs);
      idle = [];
    },
  };
}

/** What came while nobody asked would be taken for the answer to the next command. */
function isFit({ isOpen, dialogue }: Connection): boolean {
  return isOpen && !dialogue.hasHeard();
}

/** Not for long: a server that owes an answer must not keep the session, and us, alive. */
async function ask({ dialogue, close }: Connection, command: 'RSET' | 'QUIT', withinMs: number): Promise<SmtpReply> {
  const tarpit = setTimeout(close, withinMs).unref();
  try {
    dialogue.say([command]);
    return await dialogue.hear();
  } finally {
    clearTimeout(tarpit);
  }
}

async function quit(connection: Connection, withinMs: number): Promise<void> {
  await ask(connection, 'QUIT', withinMs).catch(() => {});
  connection.close();
}

async function reset(connection: Connection, withinMs: number, keep: (connection: Connection) => void): Promise<void> {
  const reply = await ask(connection, 'RSET', withinMs).catch(() => null);
  // It is no part of the next email's.
  connection.conversation.take();
  if (reply !== null && isAccepted(reply)) keep(connection);
  else connection.close();
}
