import type { BounceClass, FeedbackKind } from '@posthorn/contract';
import {
  type ClaimedEmail,
  type ClaimedRecipient,
  listPendingRecipients,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { canSuppress } from '@posthorn/domain/suppressions';
import { classifyBounce, parseReply } from '@posthorn/feedback';
import { providers } from '@posthorn/feedback/providers';
import type { SendResult } from '../smtp/failover.js';
import type { CommandReply } from '../smtp/reply.js';

const STATUSES = {
  accepted: 'sent',
  deferred: 'deferred',
  bounced: 'bounced',
  refuses_us: 'deferred',
  refuses_message: 'failed',
} as const;

/** What the server's reply means for one recipient. If there was no reply, the recipient is deferred. */
export function toRecipientResult(recipient: ClaimedRecipient, { replies, fault }: SendResult): RecipientResult {
  const known = replies.get(recipient.address);
  if (!known) return toResult(recipient, 'deferred', { code: null, text: fault ?? 'The connection was lost' });
  const result = toResult(recipient, STATUSES[known.meaning], known.reply);
  const isFinal = result.status === 'bounced' || result.status === 'failed';
  return isFinal ? { ...result, bounceClass: classifyRefusal(known, replies.size) } : result;
}

export function buildSameResults(
  email: ClaimedEmail,
  status: RecipientResult['status'],
  text: string,
): RecipientResult[] {
  return listPendingRecipients(email).map((recipient) => toResult(recipient, status, { code: null, text }));
}

/** @returns a function that says whether a recipient has no result in this list */
export function isNotAmong(
  results: readonly RecipientResult[],
): (recipient: Pick<ClaimedRecipient, 'position'>) => boolean {
  return ({ position }) => !results.some((result) => result.position === position);
}

/** If there will be no further attempt, a deferred recipient fails. */
export function giveUp(result: RecipientResult): RecipientResult {
  if (result.status !== 'deferred') return result;
  return { ...result, status: 'failed', smtpResponse: `Gave up. Last error: ${result.smtpResponse}` };
}

/** As `giveUp`, after transactions whose replies say why the recipients were deferred. */
export function giveUpAfter(
  tried: ReadonlyArray<{ readonly sent: Pick<SendResult, 'replies'> }>,
): (result: RecipientResult) => RecipientResult {
  return (result) => {
    const given = giveUp(result);
    const part = tried.find(({ sent }) => sent.replies.has(result.address));
    const known = part?.sent.replies.get(result.address);
    if (!(part && known) || given === result) return given;
    return { ...given, bounceClass: classifyRefusal(known, part.sent.replies.size) };
  };
}

/** These enhanced codes are about the address or the mailbox (RFC 3463, 3.2 and 3.3). */
const ABOUT_ADDRESS = /^[45]\.[12]\./;

/**
 * Why the server refused the recipient. A reply to MAIL is about us, so it never suppresses. A reply to the whole
 * message may be about us too, so it suppresses only a single recipient, and only with an enhanced code about the
 * address.
 */
function classifyRefusal({ command, reply, bounceClass: known }: CommandReply, recipients: number): BounceClass {
  if (known !== undefined) return known;
  const parsed = parseReply(`${reply.code} ${reply.text}`);
  const bounceClass = classifyBounce(parsed);
  const isAboutRecipient =
    command === 'RCPT' || (command !== 'MAIL' && recipients === 1 && ABOUT_ADDRESS.test(parsed.enhanced ?? ''));
  return canSuppress(bounceClass) && !isAboutRecipient ? 'unknown' : bounceClass;
}

/** @param reply the code and text that the email's page shows */
export function toResult(
  { position, address }: ClaimedRecipient,
  status: RecipientResult['status'],
  reply: { code: number | null; text: string },
): RecipientResult {
  return { position, address, status, smtpCode: reply.code, smtpResponse: reply.text };
}

/** A relay whose provider reports events. */
export type Provider = { readonly relayId: string; readonly kind: FeedbackKind };

/** Names the relay that has the message, or may have it, so that the events of its provider are believed. */
export function withProvider(
  result: RecipientResult,
  { end, replies }: Pick<SendResult, 'end' | 'replies'>,
  provider: Provider | null,
): RecipientResult {
  const known = replies.get(result.address);
  if (provider === null || !(known?.meaning === 'accepted' || (end === 'ambiguous' && !known))) return result;
  const providerId = known ? providers[provider.kind].readReplyId(known.reply.text) : null;
  return { ...result, relayId: provider.relayId, providerId };
}
