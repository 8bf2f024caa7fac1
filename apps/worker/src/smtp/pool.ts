import { type Connection, openConnection } from './connection.js';
import type { OutgoingMessage } from './progress.js';
import type { Relay } from './relay.js';
import { openSessions } from './sessions.js';
import { runTransaction, type Transaction } from './transaction.js';

export type Pool = {
  readonly relay: Relay;
  /** @throws RouteFault when no session can be had */
  send(outgoing: OutgoingMessage): Promise<Transaction>;
  close(): void;
};

/** Sessions to one relay, kept open between messages; the slots of the worker bound how many there are. */
export function openPool(relay: Relay): Pool {
  const sessions = openSessions(relay.timeouts);

  async function sendOver(connection: Connection, outgoing: OutgoingMessage): Promise<Transaction> {
    const transaction = await runTransaction(connection, outgoing, relay.timeouts);
    await sessions.giveBack(connection, transaction);
    return transaction;
  }

  return {
    relay,
    async send(outgoing) {
      const used = sessions.take();
      if (used) {
        const transaction = await sendOver(used, outgoing);
        if (!wasStale(transaction)) return transaction;
      }
      return sendOver(await openConnection(relay), outgoing);
    },
    close: () => sessions.close(),
  };
}

/** A used session that ends in the envelope says nothing about mail or relay: a new one is asked. */
function wasStale({ end, phase }: Transaction): boolean {
  return phase === 'envelope' && (end === 'broken' || end === 'route_fault');
}
