import type {
  AttemptOutcome,
  AttemptPhase,
  BounceClass,
  EmailEventType,
  EmailStatus,
  Priority,
  RecipientKind,
  RecipientStatus,
} from '@posthorn/contract';
import type { StoredAttachment } from '@posthorn/domain/attachments';

/** An email in a list, without its bodies and template variables. */
export type EmailSummary = {
  id: string;
  status: EmailStatus;
  from: string;
  to: string[];
  subject: string;
  templateId: string | null;
  tags: string[];
  createdAt: Date;
  scheduledAt: Date | null;
};

/** Everything about an email. `content` is null if the caller may not read it. */
export type EmailDetail = EmailSummary & {
  cc: string[];
  bcc: string[];
  replyTo: string[];
  headers: Record<string, string>;
  priority: Priority;
  expiresAt: Date | null;
  /** What the recipient can unsubscribe from; null for mail that one cannot unsubscribe from. */
  topic: string | null;
  domainId: string | null;
  templateVersion: number | null;
  /** Set only for a deferred email that is not parked. */
  nextAttemptAt: Date | null;
  /** Whether it waits for the operator after a restore. */
  isParked: boolean;
  recipients: RecipientState[];
  /** The newest attempts, oldest first. */
  attempts: DeliveryAttempt[];
  /** Where `listAttempts` continues with older attempts; null if there are none. */
  attemptsNextCursor: string | null;
  /** The newest events, oldest first. */
  events: EmailEvent[];
  eventsNextCursor: string | null;
  content: StoredContent | null;
  /** Whether the content is no longer stored. cc, bcc, replyTo and headers are then empty. */
  contentRemoved: boolean;
  /** When a recipient was erased from the email; null if none was. */
  erasedAt: Date | null;
};

export type StoredContent = {
  html: string | null;
  text: string | null;
  templateVars: Record<string, unknown> | null;
  attachments: StoredAttachment[];
};

export type RecipientState = {
  kind: RecipientKind;
  address: string;
  status: RecipientStatus;
  smtpCode: number | null;
  smtpResponse: string | null;
  /** Why a mail server refused it; null if none did. */
  bounceClass: BounceClass | null;
};

export type DeliveryAttempt = {
  attempt: number;
  route: string | null;
  phase: AttemptPhase | null;
  outcome: AttemptOutcome | null;
  conversation: string[];
  startedAt: Date;
  endedAt: Date | null;
};

export type EmailEvent = {
  id: string;
  /** Counts from 1. */
  sequence: number;
  type: EmailEventType;
  recipient: string | null;
  detail: string | null;
  createdAt: Date;
};
