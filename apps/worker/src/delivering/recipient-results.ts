import type { BounceClass } from '@posthorn/contract';
import {
  type ClaimedEmail,
  type ClaimedRecipient,
  pendingRecipients,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { canSuppress } from '@posthorn/domain/suppressions';
import { classifyBounce, parseReply } from '@posthorn/feedback';
import type { CommandReply } from '../smtp/dialogue.js';
import type { SendResult } from '../smtp/failover.js';

const STATUS_OF = { accepted: 'sent', deferred: 'deferred', bounced: 'bounced' } as const;

/** What the server's reply means for one recipient. If there was no reply, the recipient is deferred. */
export function readRecipientResult(recipient: ClaimedRecipient, { replies, fault }: SendResult): RecipientResult {
  const known = replies.get(recipient.address);
  if (!known) return toResult(recipient, 'deferred', { code: null, text: fault ?? 'The connection was lost' });
  const result = toResult(recipient, STATUS_OF[known.meaning], known.reply);
  return result.status === 'bounced' ? { ...result, bounceClass: classifyRefusal(known, replies.size) } : result;
}

/** The same result for every recipient that is still pending. */
export function buildSameResults(
  email: ClaimedEmail,
  status: RecipientResult['status'],
  text: string,
): RecipientResult[] {
  return pendingRecipients(email).map((recipient) => toResult(recipient, status, { code: null, text }));
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

/** As `giveUp`, after a transaction whose replies say why the recipients were deferred. */
export function giveUpAfter({ replies }: Pick<SendResult, 'replies'>): (result: RecipientResult) => RecipientResult {
  return (result) => {
    const known = replies.get(result.address);
    const given = giveUp(result);
    return known && given !== result ? { ...given, bounceClass: classifyRefusal(known, replies.size) } : given;
  };
}

/** These enhanced codes are about the address or the mailbox (RFC 3463, 3.2 and 3.3). */
const ABOUT_ADDRESS = /^[45]\.[12]\./;

/**
 * Why the server refused the recipient. A reply to MAIL is about us, so it never suppresses. A reply to the whole
 * message may be about us too, so it suppresses only a single recipient, and only with an enhanced code about the
 * address.
 */
function classifyRefusal({ command, reply }: CommandReply, recipients: number): BounceClass {
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
