import { addressKey } from '../addresses/address.js';
import { deriveEmailStatus, type EmailStatus, isReportable, type RecipientStatus } from '../emails/email-status.js';
import type { LockedEmail } from '../emails/lock-emails-store.js';
import type { EmailEventType } from '../events/event-types.js';
import type { ReadReport, RecipientReport, ReportResult } from './report.js';

/** An email that reports are about, as it is while its rows are locked. */
export type ReportedEmail = Pick<LockedEmail, 'id' | 'status' | 'recipients'>;

type Recipient = LockedEmail['recipients'][number];

/** What a report changes about one recipient. `from` and `to` are equal if only an event is written. */
export type RecipientChange = {
  readonly position: number;
  readonly address: string;
  readonly from: RecipientStatus;
  readonly to: RecipientStatus;
  readonly event: EmailEventType;
  readonly reported: RecipientReport;
};

/** What several reports change about one email. */
export type EmailChanges = {
  readonly status: EmailStatus;
  /** Whether no recipient is waiting any more. */
  readonly isFinished: boolean;
  readonly recipients: readonly RecipientChange[];
  /** What the reports said about recipients, whether or not it changed their status. */
  readonly reported: ReadonlyArray<RecipientReport & { readonly address: string }>;
  /** By the id of the report. */
  readonly results: ReadonlyMap<string, ReportResult>;
};

/** Decides what reports about an email change, in their order. */
export function decideChanges(email: ReportedEmail, reports: readonly ReadReport[]): EmailChanges {
  const all = reports.flatMap(({ id, envelope, recipients }) =>
    recipients.map((reported) => ({
      id,
      reported,
      recipient: recipientOf(email, envelope?.positions ?? [], reported),
    })),
  );
  const known = all.filter((each): each is typeof each & { recipient: Recipient } => each.recipient !== undefined);
  const statuses = new Map(email.recipients.map(({ position, status }) => [position, status]));
  const applied = known.flatMap(({ id, reported, recipient: { position, address } }) => {
    const from = statuses.get(position) as RecipientStatus;
    const change = changeOf(from, reported);
    if (change === null) return [];
    statuses.set(position, change.to);
    return [{ id, change: { position, address, from, reported, ...change } }];
  });
  const resultOf = (id: string): ReportResult => {
    if (applied.some((each) => each.id === id)) return 'applied';
    return all.some((each) => each.id === id && !each.recipient) ? 'unknown_recipient' : 'nothing_new';
  };
  return {
    ...statusOf(email, [...statuses.values()]),
    recipients: applied.map(({ change }) => change),
    reported: known.map(({ recipient: { address }, reported }) => ({ ...reported, address })),
    results: new Map(reports.map(({ id }) => [id, resultOf(id)])),
  };
}

/** The status of the email, which stays if no recipient has another one, or if somebody is waiting. */
function statusOf(
  { status, recipients }: ReportedEmail,
  now: readonly RecipientStatus[],
): Pick<EmailChanges, 'status' | 'isFinished'> {
  const isFinished = !now.some((each) => each === 'queued' || each === 'deferred');
  const hasMoved = recipients.some((recipient, index) => recipient.status !== now[index]);
  return { status: hasMoved && isFinished ? deriveEmailStatus(now) : status, isFinished };
}

/**
 * The recipient that a report is about. Our token names the recipients of the envelope, and if that is one, the report
 * is about them, whatever address it names: their mail may be forwarded (RFC 3464, 2.3.2).
 */
function recipientOf(
  { recipients }: ReportedEmail,
  positions: readonly number[],
  { addresses }: RecipientReport,
): Recipient | undefined {
  const possible = recipients.filter(({ position }) => positions.includes(position));
  if (possible.length === 1) return possible[0];
  for (const address of addresses) {
    const found = possible.find((recipient) => addressKey(recipient.address) === addressKey(address));
    if (found) return found;
  }
  return undefined;
}

/** @returns null if the recipient stays as it is, and there is nothing to tell */
function changeOf(
  from: RecipientStatus,
  { what }: RecipientReport,
): { to: RecipientStatus; event: EmailEventType } | null {
  if (what === 'delayed') return from === 'sent' ? { to: from, event: 'deferred' } : null;
  return isReportable(from, what) ? { to: what, event: what } : null;
}
