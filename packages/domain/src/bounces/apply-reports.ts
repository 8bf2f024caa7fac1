import type { EmailEventType, RecipientStatus, ReportResult } from '@posthorn/contract';
import { deriveEmailStatus, isReportable, type LockedEmail, lockEmails } from '@posthorn/domain/emails';
import { toAddressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { type EmailChanges, hasErasedRecipient, writeChanges } from './apply-reports-store.js';
import type { InterpretedReport, RecipientReport } from './interpret-report.js';
import { deleteSurplusMail } from './operator-mail-store.js';
import { type FinishedReport, finishReports, lockReports } from './report-store.js';

/** How long a report waits while a worker is sending its email. */
const WAIT_SECONDS = 1;

/**
 * The bounce flow, last part, from reports that have been read to the states of their recipients: lock -> decide ->
 * write states, events and suppressions -> finish the reports. All of it is one transaction, so a report is applied
 * exactly once. A report about an email that a worker is sending waits for the worker's result, so that the result never
 * overwrites what the report said.
 * @returns whether anything was written to the event log
 */
export async function applyReports(
  { db }: Pick<Context, 'db'>,
  reports: readonly InterpretedReport[],
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const locked = await lockReports(trx, reports);
    const ours = reports.filter(({ id }) => locked.has(id));
    const ids = new Set(ours.flatMap(({ envelope }) => (envelope ? [envelope.emailId] : [])));
    const emails = ids.size === 0 ? [] : await lockEmails(trx, [...ids].toSorted());
    const changed = emails
      .filter(({ isBeingSent }) => !isBeingSent)
      .map((email) => ({
        email,
        changes: decideChanges(
          email,
          ours.filter((report) => isAbout(report, email.id)),
        ),
      }));
    const toWrite = changed.filter(({ changes }) => changes.reported.length > 0 || changes.unattributedComplaint);
    if (toWrite.length > 0) await writeChanges(trx, toWrite);
    const finished = ours.map((report) => finish(report, changed, emails));
    if (finished.length > 0) await finishReports(trx, finished, { waitSeconds: WAIT_SECONDS });
    if (finished.some(({ report, result }) => result !== null && report.envelope === null))
      await deleteSurplusMail(trx);
    return toWrite.some(({ changes }) => changes.recipients.length > 0 || changes.unattributedComplaint);
  });
}

type ChangedEmail = { readonly email: LockedEmail; readonly changes: EmailChanges };

function finish(
  report: InterpretedReport,
  changed: readonly ChangedEmail[],
  emails: readonly LockedEmail[],
): FinishedReport {
  const email = emails.find(({ id }) => isAbout(report, id));
  if (!email) return { report, result: 'unknown_email', kept: keepUnknown(report) };
  if (report.recipients.length > 0 && email.isBeingSent) return { report, result: null, kept: NOTHING };
  const changes = changed.find((each) => each.email === email)?.changes;
  const result = changes?.results.get(report.id) ?? 'nothing_new';
  const bytes = hasErasedRecipient(email) ? 0 : limits.shownReportBytes.max;
  if (changes?.lasting.has(report.id)) return { report, result, kept: { bytes, days: limits.reportDays.max } };
  // The limit for the reports about an email is checked when they come to its return path.
  if (report.mailbox !== null) return { report, result, kept: NOTHING };
  return { report, result, kept: { bytes, days: limits.idleReportDays.max } };
}

const NOTHING = { bytes: 0, days: 0 };

/** Mail to a mailbox is kept for the operator, for example to confirm the enrolment with a feedback loop. */
function keepUnknown({ mailbox, envelope }: InterpretedReport): FinishedReport['kept'] {
  if (mailbox === null) return { bytes: 0, days: limits.idleReportDays.max };
  return envelope ? NOTHING : { bytes: limits.operatorMailBytes.max, days: limits.operatorMailDays.max };
}

function isAbout({ envelope }: InterpretedReport, emailId: string): boolean {
  return envelope?.emailId === emailId;
}

/** An email that reports are about, as it is while its rows are locked. */
export type ReportedEmail = Pick<LockedEmail, 'id' | 'status' | 'recipients' | 'lastSequence' | 'complaints'>;

type Recipient = LockedEmail['recipients'][number];

/** Decides what reports about an email change, in their order. */
export function decideChanges(email: ReportedEmail, reports: readonly InterpretedReport[]): EmailChanges {
  const all = reports.flatMap((report) => listMentions(email, report));
  const known = all.filter((each): each is typeof each & { recipient: Recipient } => each.recipient !== undefined);
  const hidden = findHiddenComplaint(email, all);
  const statuses = new Map(email.recipients.map(({ position, status }) => [position, status]));
  const authenticated = new Set(
    email.complaints.filter(({ isAuthenticated }) => isAuthenticated).map(({ recipient }) => recipient),
  );
  const applied = known.flatMap(({ id, reported, recipient: { position, address } }) => {
    const from = statuses.get(position) as RecipientStatus;
    const change = decideChange(email, from, { ...reported, isNewProof: !authenticated.has(address) });
    if (change === null) return [];
    statuses.set(position, change.to);
    if (reported.isAuthenticated) authenticated.add(address);
    return [{ id, change: { position, address, from, reported, ...change } }];
  });
  const toResult = (id: string): ReportResult => {
    if (hidden?.id === id || applied.some((each) => each.id === id)) return 'applied';
    return all.some((each) => each.id === id && !each.recipient) ? 'unknown_recipient' : 'nothing_new';
  };
  return {
    ...decideStatus(email, [...statuses.values()]),
    recipients: applied.map(({ change }) => change),
    unattributedComplaint: hidden?.reported ?? null,
    reported: known
      .filter(({ recipient, reported: { event } }) => event !== 'bounced' || statuses.get(recipient.position) === event)
      .map(({ recipient: { address }, reported }) => ({ ...reported, address })),
    results: new Map(reports.map(({ id }) => [id, toResult(id)])),
    lasting: new Set([
      ...(hidden ? [hidden.id] : []),
      ...applied.filter(({ change }) => change.event !== 'deferred').map(({ id }) => id),
    ]),
  };
}

/**
 * A complaint that names no recipient is recorded once, and once more if the first was not authenticated and this one is.
 */
function findHiddenComplaint({ complaints }: ReportedEmail, all: readonly Mention[]): Mention | undefined {
  const hidden = all.filter(({ recipient, reported }) => !recipient && reported.event === 'complained');
  const known = complaints.filter(({ recipient }) => recipient === null);
  const isNew = ({ reported }: Mention) => reported.isAuthenticated && !known.some((each) => each.isAuthenticated);
  return hidden.find(isNew) ?? (known.length === 0 ? hidden[0] : undefined);
}

type Mention = { readonly id: string; readonly reported: RecipientReport; readonly recipient: Recipient | undefined };

/**
 * What a report says about recipients of its envelope, each thing once: a strange report may repeat itself thousands of
 * times. If it names the only recipient, it can also name others, such as the members of a mailing list, who are no
 * concern of ours.
 */
function listMentions({ recipients: all }: ReportedEmail, { id, envelope, recipients }: InterpretedReport): Mention[] {
  const possible = all.filter(({ position }) => envelope?.positions.includes(position));
  const named = recipients.filter((reported) => possible.some((recipient) => names(reported, recipient)));
  const concerning = possible.length === 1 && named.length > 0 ? named : recipients;
  const mentions = concerning.map((reported) => ({ id, reported, recipient: findRecipient(possible, reported) }));
  const toKey = ({ recipient, reported }: Mention) => `${recipient?.position} ${reported.event}`;
  return [...new Map(mentions.toReversed().map((mention) => [toKey(mention), mention])).values()].toReversed();
}

/** The status of the email, which stays if no recipient has another one, or if somebody is waiting. */
function decideStatus(
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
function findRecipient(possible: readonly Recipient[], reported: RecipientReport): Recipient | undefined {
  if (possible.length === 1) return possible[0];
  return possible.find((recipient) => names(reported, recipient));
}

function names({ addresses }: RecipientReport, recipient: Recipient): boolean {
  return addresses.some((address) => toAddressKey(address) === toAddressKey(recipient.address));
}

/**
 * Anybody can write a complaint that is not authenticated, the sender of the email too. So one that is authenticated is
 * recorded even after such a complaint.
 * @returns null if the recipient stays as it is, and there is nothing to tell
 */
function decideChange(
  { lastSequence }: ReportedEmail,
  from: RecipientStatus,
  { event, isAuthenticated, isNewProof }: RecipientReport & { readonly isNewProof: boolean },
): { to: RecipientStatus; event: EmailEventType } | null {
  if (event === 'deferred')
    return from === 'sent' && lastSequence < limits.eventsBeforeDelays.max ? { to: from, event } : null;
  if (event === 'complained' && from === event) return isAuthenticated && isNewProof ? { to: from, event } : null;
  return isReportable(from, event) ? { to: event, event } : null;
}
