import type { OutgoingMessage } from './outgoing-message.js';
import type { Pool } from './pool.js';
import type { Transaction } from './transaction.js';

/** Finds out whether a relay accepts any mail from us: it sends MAIL with one of our return paths, but no message. */
export type RelayCheck = {
  /** Whether the relay has just passed a check, so that no other check is needed. */
  hasPassed(): boolean;
  /** Checks the relay, or waits for the check that is running. @returns the failed check; null if the relay passed */
  run(): Promise<Transaction | null>;
  /** Makes `hasPassed` false. Call this when the relay has failed after a check. */
  forget(): void;
};

/**
 * How long a passed check is valid. If the relay keeps refusing a tenant's mail, it is checked only once in this
 * period, not once for each email.
 */
const VALID_MS = 5_000;

/** @param sender the return path that the check uses in MAIL */
export function openRelayCheck(pool: Pool, sender: string): RelayCheck {
  const message = messageWithoutRecipients(sender);
  let running: Promise<Transaction | null> | null = null;
  let passedUntil = 0;

  async function check(): Promise<Transaction | null> {
    const transaction = await pool.send(message);
    if (transaction.end !== 'completed' || transaction.suspicion !== null) return transaction;
    passedUntil = Date.now() + VALID_MS;
    return null;
  }

  return {
    hasPassed: () => passedUntil > Date.now(),
    run() {
      running ??= check().finally(() => {
        running = null;
      });
      return running;
    },
    forget() {
      passedUntil = 0;
    },
  };
}

function messageWithoutRecipients(from: string): OutgoingMessage {
  return { workspaceId: '', envelope: { from, to: [] }, message: Buffer.alloc(0), mayStart: () => false };
}
