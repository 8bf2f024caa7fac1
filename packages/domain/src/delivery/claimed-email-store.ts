import { type Priority, priorities, type RecipientStatus } from '@posthorn/contract';
import { type MessageRow, type StoredMessage, toStoredMessage } from '@posthorn/domain/emails';

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
  /** From this time on, the email must not be sent. */
  readonly expiresAt: Date | null;
  readonly recipients: readonly ClaimedRecipient[];
  /** `name:value` */
  readonly tags: readonly string[];
  readonly priority: Priority;
  /**
   * The ids of the relays that may have the message after an attempt with an unknown result, by the position of the
   * recipient. The message goes nowhere else.
   */
  readonly staysWith: Readonly<Record<number, string>>;
};

export type ClaimedRecipient = {
  readonly position: number;
  readonly address: string;
  readonly status: RecipientStatus;
};

/** The recipients whose status is not final yet. They form this attempt's envelope. */
export function listPendingRecipients(email: ClaimedEmail): ClaimedRecipient[] {
  return email.recipients.filter(({ status }) => status === 'queued' || status === 'deferred');
}

/**
 * What a worker must understand to deliver an email: the bits of `deliveries.needs`. During an upgrade, an older worker
 * leaves the emails that it does not understand to a newer one.
 */
export const needs = {
  attachments: 1,
  /** Test mail is built but not sent. */
  testMode: 2,
  /** Mail to simulator addresses is not sent to a server. */
  simulator: 4,
  /**
   * The worker must call `writeHandoffIntent` before it sends the end of the message, because without the intent, we
   * assume that no mail server has the message.
   */
  handoffIntent: 16,
  /** The message has headers and links for unsubscribing, and suppressions of its topic apply. */
  topic: 64,
  /** The html gets the links and the image that report clicks and opens. */
  tracking: 128,
} as const;

/**
 * The handoff intent itself, which is also a bit of `deliveries.needs`. It belongs to the attempt that holds the email:
 * the next claim or the outcome clears it.
 */
export const HANDOFF_INTENT = 32;

/** What this version understands. */
const UNDERSTOOD = Object.values(needs).reduce((all, bit) => all | bit, HANDOFF_INTENT);

/** SQL: whether this version understands a row of `deliveries`. */
export const IS_UNDERSTOOD = `needs & ~${UNDERSTOOD} = 0`;

/** SQL: whether the attempt that holds the email should have written a handoff intent but has not. */
export const IS_UNSENT = `needs & ${needs.handoffIntent | HANDOFF_INTENT} = ${needs.handoffIntent}`;

/** SQL: the value of `needs` without the handoff intent. */
export const NEEDS_WITHOUT_INTENT = `needs & ~${HANDOFF_INTENT}`;

export type ClaimedRow = MessageRow & {
  attempt: number;
  deferrals: number;
  /** This and `unsent_attempts` are there only if the statement claims emails of stopped workers. */
  reclaimed?: ClaimedEmail['reclaimed'];
  unsent_attempts?: number;
  ambiguous_attempts: number;
  needs: number;
  has_suppressions: boolean;
  expires_at: Date | null;
  sender_lost: ClaimedEmail['senderLost'];
  recipients: ClaimedEmail['recipients'];
  tags: string[];
  priority: number;
  stays_with: Record<number, string> | null;
};

const NOWHERE = {};

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
    expiresAt: row.expires_at,
    senderLost: row.sender_lost,
    recipients: row.recipients,
    tags: row.tags,
    priority: priorities[row.priority] as Priority,
    staysWith: row.stays_with ?? NOWHERE,
  };
}
