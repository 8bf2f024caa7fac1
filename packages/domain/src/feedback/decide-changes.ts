import type { EmailEventType, EmailStatus, RecipientStatus, ReportResult } from '@posthorn/contract';
import { deriveEmailStatus, isReportable, type LockedEmail } from '@posthorn/domain/emails';
import { addressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { InterpretedReport, RecipientReport } from './report.js';

/** An email that reports are about, as it is while its rows are locked. */
export type ReportedEmail = Pick<
  LockedEmail,
  'id' | 'status' | 'recipients' | 'lastSequence' | 'hasUnattributedComplaint'
>;

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
  /** A complaint that hides which of several recipients complained. null if there is none, or not the first. */
  readonly unattributedComplaint: RecipientReport | null;
  /**
   * What the reports said about recipients, even if it changed nothing because it was known. A bounce that contradicts
   * what is known, for example after a confirmed delivery, is left out.
   */
  readonly reported: ReadonlyArray<RecipientReport & { readonly address: string }>;
  /** By the id of the report. */
  readonly results: ReadonlyMap<string, ReportResult>;
};

/** Decides what reports about an email change, in their order. */
export function decideChanges(email: ReportedEmail, reports: readonly InterpretedReport[]): EmailChanges {
  const all = reports.flatMap((report) => mentionsOf(email, report));
  const known = all.filter((each): each is typeof each & { recipient: Recipient } => each.recipient !== undefined);
  const hidden = email.hasUnattributedComplaint
    ? undefined
    : all.find(({ recipient, reported }) => !recipient && reported.event === 'complained');
  const statuses = new Map(email.recipients.map(({ position, status }) => [position, status]));
  const applied = known.flatMap(({ id, reported, recipient: { position, address } }) => {
    const from = statuses.get(position) as RecipientStatus;
    const change = changeOf(email, from, reported);
    if (change === null) return [];
    statuses.set(position, change.to);
    return [{ id, change: { position, address, from, reported, ...change } }];
  });
  const resultOf = (id: string): ReportResult => {
    if (hidden?.id === id || applied.some((each) => each.id === id)) return 'applied';
    return all.some((each) => each.id === id && !each.recipient) ? 'unknown_recipient' : 'nothing_new';
  };
  return {
    ...statusOf(email, [...statuses.values()]),
    recipients: applied.map(({ change }) => change),
    unattributedComplaint: hidden?.reported ?? null,
    reported: known
      .filter(({ recipient, reported: { event } }) => event !== 'bounced' || statuses.get(recipient.position) === event)
      .map(({ recipient: { address }, reported }) => ({ ...reported, address })),
    results: new Map(reports.map(({ id }) => [id, resultOf(id)])),
  };
}

type Mention = { readonly id: string; readonly reported: RecipientReport; readonly recipient: Recipient | undefined };

/**
 * What a report says about recipients of its envelope, each thing once: a strange report may repeat itself thousands of
 * times. If it names the only recipient, it can also name others, such as the members of a mailing list, who are no
 * concern of ours.
 */
function mentionsOf({ recipients: all }: ReportedEmail, { id, envelope, recipients }: InterpretedReport): Mention[] {
  const possible = all.filter(({ position }) => envelope?.positions.includes(position));
  const named = recipients.filter((reported) => possible.some((recipient) => names(reported, recipient)));
  const concerning = possible.length === 1 && named.length > 0 ? named : recipients;
  const mentions = concerning.map((reported) => ({ id, reported, recipient: recipientOf(possible, reported) }));
  const keyOf = ({ recipient, reported }: Mention) => `${recipient?.position} ${reported.event}`;
  return [...new Map(mentions.toReversed().map((mention) => [keyOf(mention), mention])).values()].toReversed();
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
function recipientOf(possible: readonly Recipient[], reported: RecipientReport): Recipient | undefined {
  if (possible.length === 1) return possible[0];
  return possible.find((recipient) => names(reported, recipient));
}

function names({ addresses }: RecipientReport, recipient: Recipient): boolean {
  return addresses.some((address) => addressKey(address) === addressKey(recipient.address));
}

/** @returns null if the recipient stays as it is, and there is nothing to tell */
function changeOf(
  { lastSequence }: ReportedEmail,
  from: RecipientStatus,
  { event }: RecipientReport,
): { to: RecipientStatus; event: EmailEventType } | null {
  if (event === 'deferred')
    return from === 'sent' && lastSequence < limits.eventsBeforeDelays.max ? { to: from, event } : null;
  return isReportable(from, event) ? { to: event, event } : null;
}
