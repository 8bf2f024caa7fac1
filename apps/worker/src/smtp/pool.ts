import { connectTraced } from './connect-traced.js';
import type { Connection } from './connection.js';
import type { OutgoingMessage } from './outgoing-message.js';
import type { Relay } from './relay.js';
import { isUsedUp, openSessions } from './sessions.js';
import { runTransaction, type Transaction } from './transaction.js';

/** @property open including those that are idle. @property opened since the process started */
export type SessionCounts = Readonly<Record<'open' | 'idle' | 'opened' | 'failed', number>>;

export type Pool = {
  readonly relay: Relay;
  /** @throws RouteFault when no session can be opened */
  send(outgoing: OutgoingMessage): Promise<Transaction>;
  countSessions(): SessionCounts;
  close(): void;
};

/** Sessions with one relay, kept open between messages. The worker's slots limit the number of sessions. */
export function openPool(relay: Relay): Pool {
  const sessions = openSessions(relay.timeouts);
  const counts = { open: 0, opened: 0, failed: 0 };

  async function open({ span }: OutgoingMessage): Promise<Connection> {
    try {
      const connection = await connectTraced(relay, span, () => {
        counts.open -= 1;
      });
      counts.open += 1;
      counts.opened += 1;
      return connection;
    } catch (error) {
      counts.failed += 1;
      throw error;
    }
  }

  async function sendOver(connection: Connection, outgoing: OutgoingMessage): Promise<Transaction> {
    const transaction = await runTransaction(connection, outgoing, relay.timeouts);
    if (transaction.phase === 'reply') connection.hasCarriedMail = true;
    await sessions.release(connection, transaction);
    return transaction;
  }

  return {
    relay,
    async send(outgoing) {
      // If an idle session turns out to be no longer usable, the message is sent over a new one.
      const used = sessions.take();
      if (used) {
        const transaction = await sendOver(used, outgoing);
        if (!isUsedUp(used, transaction)) return transaction;
      }
      return sendOver(await open(outgoing), outgoing);
    },
    countSessions: () => ({ ...counts, idle: sessions.countIdle() }),
    close: () => sessions.close(),
  };
}
