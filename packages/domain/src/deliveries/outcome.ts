import type { EmailStatus, EventType, RecipientStatus } from '../emails/email-status.js';

/** How an attempt ended, for the record of the attempt itself. */
export type AttemptOutcome = 'sent' | 'partial' | 'deferred' | 'bounced' | 'failed' | 'route_fault' | 'ambiguous';

/** How far an attempt got before it ended. */
export type Phase = 'render' | 'connect' | 'envelope' | 'data' | 'reply';

/** What became of one recipient in this attempt. */
export type Fate = {
  readonly position: number;
  readonly address: string;
  readonly status: RecipientStatus;
  readonly smtpCode: number | null;
  readonly smtpResponse: string | null;
};

export type Outcome = {
  readonly id: string;
  /** The claim that this is the end of; a newer claim makes the outcome void. */
  readonly attempt: number;
  readonly status: EmailStatus;
  /** Seconds until the next attempt; null: there is none. */
  readonly retryInSeconds: number | null;
  /** Whether this attempt counts against RETRY_SCHEDULE. */
  readonly charged: boolean;
  /** Only recipients whose state this attempt changed. */
  readonly fates: readonly Fate[];
  readonly outcome: AttemptOutcome;
  readonly phase: Phase;
  readonly route: string | null;
  /** Lines "C: ..." and "S: ...", without the message itself. */
  readonly conversation: readonly string[];
  /** One more event for the email as a whole, such as why it failed. */
  readonly event: { readonly type: EventType; readonly detail: string } | null;
};
