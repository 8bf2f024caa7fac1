import type { Connection } from './connection.js';
import type { Timeouts } from './timeouts.js';
import type { Transaction } from './transaction.js';

/** Sessions to one relay that are kept open between messages. */
export type Sessions = {
  take(): Connection | undefined;
  /** @param transaction what the session carried last; it may have left it unfit for more */
  giveBack(connection: Connection, transaction: Transaction): void;
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
    for (const { connection } of aged) quit(connection, partingMs);
  }

  function keep(connection: Connection): void {
    if (isClosed) quit(connection, partingMs);
    else idle.push({ connection, since: Date.now() });
  }

  return {
    take() {
      for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
        if (entry.connection.isOpen) return entry.connection;
      }
      return undefined;
    },
    giveBack(connection, { end, phase }) {
      // Answered in the midst of the message, the server would read our next command as its text.
      if (end !== 'answered' || phase === 'data' || !connection.isOpen) connection.smtp.close();
      else if (phase === 'reply') keep(connection);
      // Refused in the envelope: the half-done transaction is dropped before the next begins.
      else reset(connection, partingMs, keep);
    },
    close() {
      isClosed = true;
      clearInterval(reaper);
      for (const { connection } of idle) quit(connection, partingMs);
      idle = [];
    },
  };
}

function quit({ smtp }: Connection, withinMs: number): void {
  closeAfter(smtp, withinMs);
  smtp.quit();
}

function reset(connection: Connection, withinMs: number, keep: (connection: Connection) => void): void {
  const { smtp } = connection;
  const tarpit = closeAfter(smtp, withinMs);
  smtp.reset((error) => {
    clearTimeout(tarpit);
    if (error) smtp.close();
    else keep(connection);
  });
}

/** Nobody waits for these answers: a server that owes one must not keep the session, and us, alive. */
function closeAfter(smtp: Connection['smtp'], ms: number): NodeJS.Timeout {
  return setTimeout(() => smtp.close(), ms).unref();
}
