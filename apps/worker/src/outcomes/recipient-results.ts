import { type ClaimedEmail, type ClaimedRecipient, pendingRecipients, type RecipientResult } from '@posthorn/domain';
import type { SendResult } from '../smtp/send-result.js';

const STATUS_OF = { accepted: 'sent', deferred: 'deferred', bounced: 'bounced' } as const;

/** What the server's reply means for one recipient. If there was no reply, the recipient is deferred. */
export function resultOf(recipient: ClaimedRecipient, { replies, fault }: SendResult): RecipientResult {
  const known = replies.get(recipient.address);
  if (!known) return toResult(recipient, 'deferred', { code: null, text: fault ?? 'The connection was lost' });
  return toResult(recipient, STATUS_OF[known.meaning], known.reply);
}

/** The same result for every recipient that is still pending. */
export function sameForAll(email: ClaimedEmail, status: RecipientResult['status'], text: string): RecipientResult[] {
  return pendingRecipients(email).map((recipient) => toResult(recipient, status, { code: null, text }));
}

/** @returns a function that says whether a recipient has no result in this list */
export function isNotAmong(results: readonly RecipientResult[]): (recipient: ClaimedRecipient) => boolean {
  return ({ position }) => !results.some((result) => result.position === position);
}

/** If there will be no further attempt, a deferred recipient fails. */
export function giveUp(result: RecipientResult): RecipientResult {
  if (result.status !== 'deferred') return result;
  return { ...result, status: 'failed', smtpResponse: `Gave up. Last error: ${result.smtpResponse}` };
}

/** @param reply the code and text that the email's page shows */
export function toResult(
  { position, address }: ClaimedRecipient,
  status: RecipientResult['status'],
  reply: { code: number | null; text: string },
): RecipientResult {
  return { position, address, status, smtpCode: reply.code, smtpResponse: reply.text };
}
