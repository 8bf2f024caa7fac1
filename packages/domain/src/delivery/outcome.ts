import type {
  AttemptOutcome,
  AttemptPhase,
  BounceClass,
  EmailEventType,
  EmailStatus,
  RecipientStatus,
} from '@posthorn/contract';
import type { EmailOrigin } from '@posthorn/domain/emails';

/** The result of an attempt for one recipient. */
export type RecipientResult = {
  readonly position: number;
  readonly address: string;
  readonly status: Exclude<RecipientStatus, 'queued'>;
  readonly smtpCode: number | null;
  readonly smtpResponse: string | null;
  /** Why a mail server refused it. */
  readonly bounceClass?: BounceClass;
  /** Set if the recipient is not charged, because it is suppressed. */
  readonly isRefunded?: true;
};

export type Outcome = EmailOrigin & {
  readonly id: string;
  /** The claim that this outcome ends. If there is a newer claim, the outcome is not written. */
  readonly attempt: number;
  readonly status: EmailStatus;
  /** Seconds until the next attempt; null when there is none. */
  readonly retryInSeconds: number | null;
  /** Whether this attempt counts against RETRY_SCHEDULE. */
  readonly charged: boolean;
  /** Contains only the recipients whose status this attempt changed. */
  readonly recipientResults: readonly RecipientResult[];
  readonly outcome: AttemptOutcome;
  readonly phase: AttemptPhase;
  readonly route: string | null;
  /**
   * The SMTP conversation as "C: ..." and "S: ..." lines, without the message itself. A "-- ..." line names a relay.
   */
  readonly conversation: readonly string[];
  /** An additional event for the email as a whole, such as why it failed. */
  readonly event: { readonly type: EmailEventType; readonly detail: string } | null;
};
