import { type MessageRow, toStoredMessage } from '@posthorn/domain/emails';
import type { ClaimedEmail } from './claimed-email.js';
import { needs } from './needs.js';

/** A row returned by the claim statements. */
export type ClaimedRow = MessageRow & {
  attempt: number;
  deferrals: number;
  /** This and `unsent_attempts` are there only if the statement claims emails of stopped workers. */
  reclaimed?: ClaimedEmail['reclaimed'];
  unsent_attempts?: number;
  ambiguous_attempts: number;
  needs: number;
  has_suppressions: boolean;
  first_due_at: Date;
  expires_at: Date | null;
  sender_lost: ClaimedEmail['senderLost'];
  recipients: ClaimedEmail['recipients'];
};

export function toClaimedEmail(row: ClaimedRow): ClaimedEmail {
  return {
    ...toStoredMessage(row),
    attempt: row.attempt,
    deferrals: row.deferrals,
    reclaimed: row.reclaimed ?? null,
    unsentAttempts: row.unsent_attempts ?? 0,
    ambiguousAttempts: row.ambiguous_attempts,
    isTest: (row.needs & needs.testMode) !== 0,
    isSimulated: (row.needs & needs.simulator) !== 0,
    hasSuppressions: row.has_suppressions,
    needsHandoffIntent: (row.needs & needs.handoffIntent) !== 0,
    firstDueAt: row.first_due_at,
    expiresAt: row.expires_at,
    senderLost: row.sender_lost,
    recipients: row.recipients,
  };
}
