import type { RecipientStatus } from '@posthorn/contract';
import type { StoredMessage } from '@posthorn/domain/emails';

/**
 * An email that one worker holds: everything needed to send it, and the attempt number that fences the worker's writes.
 */
export type ClaimedEmail = StoredMessage & {
  /**
   * The number of this claim. A worker that lost its lease finds a higher number in the queue entry and writes nothing.
   */
  readonly attempt: number;
  /** Attempts charged against RETRY_SCHEDULE so far. */
  readonly deferrals: number;
  /**
   * Set if the previous worker stopped while it held the email: `unsent` if it cannot have sent the whole message,
   * `ambiguous` if it may have sent it.
   */
  readonly reclaimed: 'unsent' | 'ambiguous' | null;
  /** If the email was reclaimed, how many of its attempts ended as `unsent`. */
  readonly unsentAttempts: number;
  /** Earlier attempts whose outcome is unknown. */
  readonly ambiguousAttempts: number;
  /** Test mail is built and signed, but not sent. */
  readonly isTest: boolean;
  /** Whether a recipient is an address of the simulator. */
  readonly isSimulated: boolean;
  /** Whether its workspace has suppressions, so a recipient may be suppressed. */
  readonly hasSuppressions: boolean;
  /** Whether the worker must record in Postgres that it is about to send the end of the message. */
  readonly needsHandoffIntent: boolean;
  /** scheduled_at if the email has one, otherwise created_at. */
  readonly firstDueAt: Date;
  /** From this time on, the email must not be sent. */
  readonly expiresAt: Date | null;
  readonly recipients: readonly ClaimedRecipient[];
};

export type ClaimedRecipient = {
  readonly position: number;
  readonly address: string;
  readonly status: RecipientStatus;
};

/** The recipients whose status is not final yet. They form this attempt's envelope. */
export function pendingRecipients(email: ClaimedEmail): ClaimedRecipient[] {
  return email.recipients.filter(({ status }) => status === 'queued' || status === 'deferred');
}
