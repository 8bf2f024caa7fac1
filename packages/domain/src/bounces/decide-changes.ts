import type { EmailEventType, RecipientStatus, ReportResult } from '@posthorn/contract';
import { deriveEmailStatus, isReportable, type LockedEmail } from '@posthorn/domain/emails';
import { toAddressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { EmailChanges } from './apply-reports-store.js';
import type { InterpretedReport, RecipientReport } from './interpret-report.js';

/** An email that reports are about, as it is while its rows are locked. */
export type ReportedEmail = Pick<
  LockedEmail,
  'id' | 'status' | 'recipients' | 'lastSequence' | 'complaints' | 'unsubscribed'
>;

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
  const left = new Set(email.unsubscribed);
  const applied = known.flatMap(({ id, reported, recipient: { position, address } }) => {
    const from = statuses.get(position) as RecipientStatus;
    const facts = { isNewProof: !authenticated.has(address), hasLeft: left.has(address) };
    const change = decideChange(email, from, { ...reported, ...facts });
    if (change === null) return [];
    statuses.set(position, change.to);
    if (reported.event === 'complained' && reported.isAuthenticated) authenticated.add(address);
    if (reported.event === 'unsubscribed') left.add(address);
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
      ...applied.filter(({ change }) => isLasting(change.reported)).map(({ id }) => id),
    ]),
  };
}

/** A delivery that a provider repeats changes nothing more. */
function isLasting({ event, provider }: RecipientReport): boolean {
  return event !== 'deferred' && (event !== 'delivered' || provider === undefined);
}

/**
 * A complaint that names no recipient is recorded once, and once more if the first was not authenticated and this one is.
 */
function findHiddenComplaint({ complaints }: ReportedEmail, all: readonly Mention[]): Mention | undefined {
  const hidden = all.filter(
    ({ recipient, reported, isOfOthers }) => !recipient && !isOfOthers && reported.event === 'complained',
  );
  const known = complaints.filter(({ recipient }) => recipient === null);
  const isNew = ({ reported }: Mention) => reported.isAuthenticated && !known.some((each) => each.isAuthenticated);
  return hidden.find(isNew) ?? (known.length === 0 ? hidden[0] : undefined);
}

type Mention = {
  readonly id: string;
  readonly reported: RecipientReport;
  readonly recipient: Recipient | undefined;
  /** Whether all that it names are no recipients of the envelope. */
  readonly isOfOthers?: boolean;
};

/**
 * What a report says about recipients of its envelope, each thing once: a strange report may repeat itself thousands of
 * times. If it names the only recipient, it can also name others, such as the members of a mailing list, who are no
 * concern of ours.
 */
function listMentions(email: ReportedEmail, report: InterpretedReport): Mention[] {
  const { id, envelope, recipients, provider } = report;
  if (provider) return recipients.flatMap((reported) => listMentionsOfEvent(email, report, reported));
  const possible = email.recipients.filter(({ position }) => envelope?.positions.includes(position));
  const named = recipients.filter((reported) => possible.some((recipient) => names(reported, recipient)));
  const concerning = possible.length === 1 && named.length > 0 ? named : recipients;
  const mentions = concerning.map((reported) => ({ id, reported, recipient: findRecipient(possible, reported) }));
  const toKey = ({ recipient, reported }: Mention) => `${recipient?.position} ${reported.event}`;
  return [...new Map(mentions.toReversed().map((mention) => [toKey(mention), mention])).values()].toReversed();
}

/** Whether the mail that the event is about went by the relay of its provider, as far as we know. */
export function isAboutMailOfRelay(email: ReportedEmail, { envelope, provider }: InterpretedReport): boolean {
  return email.recipients.some(
    ({ position, relayId }) => envelope?.positions.includes(position) && relayId === provider?.relayId,
  );
}

/**
 * What a provider says counts for the recipients of the email that it names, if their copy went by its relay, and for nobody
 * else. An event that names nobody is about the recipient of its envelope. If it names several and is about one of them,
 * only a single one that we know is sure.
 */
function listMentionsOfEvent(
  { recipients }: ReportedEmail,
  { id, envelope, provider }: InterpretedReport,
  reported: RecipientReport,
): Mention[] {
  const ofRelay = recipients.filter(({ relayId }) => relayId === provider?.relayId);
  const namesNobody = reported.addresses.length === 0;
  const named = ofRelay.filter((one) =>
    namesNobody ? envelope?.positions.includes(one.position) : names(reported, one),
  );
  const isAboutEach = reported.provider?.isSure === true && !namesNobody;
  if (named.length === 1 || (isAboutEach && named.length > 0))
    return named.map((recipient) => ({ id, reported, recipient }));
  return [{ id, reported, recipient: undefined, isOfOthers: named.length === 0 }];
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
  return addresses.some((address) => toComparable(address) === toComparable(recipient.address));
}

/** In lower case and without the quotes of a local part, which some servers add or remove (RFC 5321, 4.1.2). */
function toComparable(address: string): string {
  return toAddressKey(address).replace(/^"(.*)"@/s, (_, local: string) => `${local.replace(/\\(.)/gs, '$1')}@`);
}

type DecidedOn = RecipientReport & { readonly isNewProof: boolean; readonly hasLeft: boolean };

/**
 * Anybody can write a complaint that is not authenticated, the sender of the email too. So one that is authenticated is
 * recorded even after such a complaint.
 * @returns null if the recipient stays as it is, and there is nothing to tell
 */
function decideChange(
  email: ReportedEmail,
  from: RecipientStatus,
  { event, isAuthenticated, isNewProof, hasLeft, provider }: DecidedOn,
): { to: RecipientStatus; event: EmailEventType } | null {
  if (event === 'deferred') return decideDelay(email, from, provider !== undefined);
  if (event === 'unsubscribed') return hasLeft ? null : { to: from, event };
  if (event === 'complained' && from === event) return isAuthenticated && isNewProof ? { to: from, event } : null;
  return isReportable(from, event) || isTakenBack(from, event, provider) ? { to: event, event } : null;
}

/** A provider knows its own mail, so it can say that a mail server refused what it had taken. */
function isTakenBack(
  from: RecipientStatus,
  event: RecipientReport['event'],
  provider: RecipientReport['provider'],
): boolean {
  return provider !== undefined && from === 'delivered' && event === 'bounced';
}

/** A provider that still tries to deliver the message has it, even if we did not get its reply. */
function decideDelay(
  { lastSequence }: ReportedEmail,
  from: RecipientStatus,
  isOfProvider: boolean,
): { to: RecipientStatus; event: EmailEventType } | null {
  if (isOfProvider && (from === 'queued' || from === 'deferred')) return { to: 'sent', event: 'sent' };
  const isTold = from === 'sent' || (isOfProvider && from === 'delivered');
  return isTold && lastSequence < limits.eventsBeforeDelays.max ? { to: from, event: 'deferred' } : null;
}
