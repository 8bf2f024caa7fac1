import { type ClaimedEmail, type ClaimedRecipient, pendingRecipients, type RecipientResult } from '@posthorn/domain';
import { classifyBounce, parseReply } from '@posthorn/feedback';
import type { SendResult } from '../smtp/send-result.js';

const STATUS_OF = { accepted: 'sent', deferred: 'deferred', bounced: 'bounced' } as const;

/** What the server's reply means for one recipient. If there was no reply, the recipient is deferred. */
export function resultOf(recipient: ClaimedRecipient, { replies, fault }: SendResult): RecipientResult {
  const known = replies.get(recipient.address);
  if (!known) return toResult(recipient, 'deferred', { code: null, text: fault ?? 'The connection was lost' });
  const result = toResult(recipient, STATUS_OF[known.meaning], known.reply);
  if (result.status !== 'bounced') return result;
  // A reply to the whole message does not say which of several recipients it is about.
  const isAboutRecipient = known.command === 'RCPT' || replies.size === 1;
  return { ...result, bounceClass: isAboutRecipient ? bounceClassOf(known.reply) : 'unknown' };
}

/** The same result for every recipient that is still pending. */
export function sameForAll(email: ClaimedEmail, status: RecipientResult['status'], text: string): RecipientResult[] {
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
  const { smtpCode: code, smtpResponse } = result;
  const failed = { ...result, status: 'failed' as const, smtpResponse: `Gave up. Last error: ${smtpResponse}` };
  return code === null ? failed : { ...failed, bounceClass: bounceClassOf({ code, text: smtpResponse ?? '' }) };
}

function bounceClassOf({ code, text }: { code: number | null; text: string }) {
  return classifyBounce(parseReply(`${code} ${text}`));
}

/** @param reply the code and text that the email's page shows */
export function toResult(
  { position, address }: ClaimedRecipient,
  status: RecipientResult['status'],
  reply: { code: number | null; text: string },
): RecipientResult {
  return { position, address, status, smtpCode: reply.code, smtpResponse: reply.text };
}
