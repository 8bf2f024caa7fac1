import { type Connection, openConnection } from './connection.js';
import type { OutgoingMessage } from './outgoing-message.js';
import type { Relay } from './relay.js';
import { isUsedUp, openSessions } from './sessions.js';
import { runTransaction, type Transaction } from './transaction.js';

export type Pool = {
  readonly relay: Relay;
  /** @throws RouteFault when no session can be opened */
  send(outgoing: OutgoingMessage): Promise<Transaction>;
  close(): void;
};

/** Sessions with one relay, kept open between messages. The worker's slots limit the number of sessions. */
export function openPool(relay: Relay): Pool {
  const sessions = openSessions(relay.timeouts);

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
      return sendOver(await openConnection(relay), outgoing);
    },
    close: () => sessions.close(),
  };
}
