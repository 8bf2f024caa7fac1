import type { BounceClass, FeedbackKind, ReportKind } from '@posthorn/contract';
import type { DeliveryAction, FeedbackType, Report, ReportedRecipient } from '@posthorn/feedback';
import { toStorableText } from '@posthorn/platform/postgres';
import type { LeasedReport } from './report-store.js';
import type { ParseReturnPath, ReturnPathEnvelope } from './return-path.js';

/** What a report says about one recipient. */
export type RecipientReport = {
  /**
   * `deferred` says that another server is still trying, `failed` that the provider of a relay took the message and did not
   * try.
   */
  readonly event: 'delivered' | 'bounced' | 'complained' | 'deferred' | 'failed' | 'unsubscribed';
  /** The addresses that the report names, the one that we sent to first. Empty if it names none. */
  readonly addresses: readonly string[];
  readonly code: number | null;
  /** What the other server said. */
  readonly text: string;
  /** null unless it bounced. */
  readonly bounceClass: BounceClass | null;
  /**
   * Whether it may be wrong: it was read from prose instead of the fields of RFC 3464, or one of several recipients, who
   * all know the return path, may have written it about another.
   */
  readonly isUncertain: boolean;
  /** Whether a relay of ours sent the bounce, or a mailbox provider has signed the complaint. Anybody can write others. */
  readonly isAuthenticated: boolean;
  /** Only if the provider of a relay says it. */
  readonly provider?: {
    /** Whether it is about each of `addresses`, and not about one of them. */
    readonly isSure: boolean;
    /** Whether a bounce says something about the address. */
    readonly maySuppress: boolean;
    readonly occurredAt: Date | null;
  };
};

/** A report that has been parsed, and what it says about our recipients. */
export type InterpretedReport = Pick<LeasedReport, 'id' | 'tries' | 'mailbox'> & {
  readonly kind: ReportKind;
  /** The email and recipients that it is about; null if it does not prove that it is about an email of ours. */
  readonly envelope: ReturnPathEnvelope | null;
  readonly recipients: readonly RecipientReport[];
  /** Only if the provider of a relay posted it. */
  readonly provider?: {
    /** It counts only for recipients whose mail went by this relay. */
    readonly relayId: string;
    /** null if nothing is left of the event. */
    readonly feedback: FeedbackKind | null;
    /** Whether our own record of that mail may come later. */
    readonly mayComeLater: boolean;
  };
};

type Proof = {
  readonly isFromRelay: boolean;
  readonly isSigned: boolean;
  readonly parseReturnPath: ParseReturnPath;
};

/** `relayed` only says that the next server sends no reports, and nothing about the recipient. */
const EVENTS_BY_ACTION: Readonly<Record<DeliveryAction, RecipientReport['event'] | null>> = {
  failed: 'bounced',
  delayed: 'deferred',
  delivered: 'delivered',
  expanded: 'delivered',
  relayed: null,
};

/** Only these say that the recipient does not want the email (RFC 5965, 7.3). */
const COMPLAINTS: readonly FeedbackType[] = ['abuse', 'fraud'];

/**
 * Turns a parsed report into what it says about each recipient.
 * @param isFromRelay whether a relay of ours sent the report
 * @param isSigned whether a mailbox provider has signed the report
 * @param parseReturnPath reads an envelope sender that the report names. A complaint is believed only if one of those, or
 *   the address that the report was sent to, is one that we created
 */
export function interpretReport(
  { id, tries, mailbox, envelope: ofRecipient }: Pick<LeasedReport, 'id' | 'tries' | 'mailbox' | 'envelope'>,
  report: Report | { readonly kind: 'unreadable' },
  { isFromRelay, isSigned, parseReturnPath }: Proof,
): InterpretedReport {
  const returnPaths = 'returnPaths' in report ? report.returnPaths : [];
  const reported = returnPaths.map(parseReturnPath).find((known) => known !== null) ?? null;
  const envelope = ofRecipient ?? reported;
  const isSignedForUs = isSigned && envelope !== null && isSameEnvelope(envelope, reported);
  const isAuthenticated = report.kind === 'feedback_report' ? isSignedForUs : isFromRelay;
  const isWrittenByOneOfSeveral = !isAuthenticated && envelope !== null && envelope.positions.length > 1;
  const recipients = toRecipientReports(report, isAuthenticated).map((each) =>
    isWrittenByOneOfSeveral ? { ...each, isUncertain: true } : each,
  );
  return { id, tries, mailbox, kind: report.kind, envelope, recipients };
}

/**
 * A signature does not cover the address that the report was sent to. So a genuine complaint about one email could be
 * sent to the return paths of others.
 */
function isSameEnvelope(one: ReturnPathEnvelope, other: ReturnPathEnvelope | null): boolean {
  return one.emailId === other?.emailId && String(one.positions) === String(other.positions);
}

function toRecipientReports(
  report: Report | { readonly kind: 'unreadable' },
  isAuthenticated: boolean,
): RecipientReport[] {
  switch (report.kind) {
    case 'dsn':
      return report.recipients.flatMap((recipient) => {
        const event = EVENTS_BY_ACTION[recipient.action];
        const isUncertain = report.format === 'text';
        return event === null ? [] : [toRecipientReport(recipient, event, { isUncertain, isAuthenticated })];
      });
    case 'feedback_report':
      return COMPLAINTS.includes(report.feedbackType) ? toComplaints(report, isAuthenticated) : [];
    case 'auto_reply':
    case 'other':
    case 'unreadable':
      return [];
    default:
      return report satisfies never;
  }
}

function toRecipientReport(
  recipient: ReportedRecipient,
  event: RecipientReport['event'],
  proof: Pick<RecipientReport, 'isUncertain' | 'isAuthenticated'>,
): RecipientReport {
  const { address, originalAddress, reply } = recipient;
  return {
    event,
    addresses: [originalAddress, address].filter((each) => each !== null),
    code: reply.code,
    text: toStorableText([reply.enhanced, reply.text].filter(Boolean).join(' ')),
    bounceClass: recipient.class,
    ...proof,
  };
}

type Complaint = Extract<Report, { kind: 'feedback_report' }>;

/** One for each recipient that the report names, or one for a recipient that it hides. */
function toComplaints({ addresses, feedbackType }: Complaint, isAuthenticated: boolean): RecipientReport[] {
  const text = feedbackType === 'fraud' ? 'The recipient reported it as fraud' : 'The recipient marked it as spam';
  const named = addresses.length === 0 ? [[]] : addresses.map((address) => [address]);
  return named.map((each) => ({
    event: 'complained',
    addresses: each,
    code: null,
    text,
    bounceClass: null,
    isUncertain: false,
    isAuthenticated,
  }));
}
