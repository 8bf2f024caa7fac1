import type { BounceClass } from '@posthorn/contract';
import {
  type ClaimedEmail,
  type ClaimedRecipient,
  pendingRecipients,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { findSimulatorEnding, type SimulatorEnding } from '@posthorn/domain/format';
import { canSuppress } from '@posthorn/domain/suppressions';
import { classifyBounce, parseReply } from '@posthorn/feedback';
import type { Config } from '@posthorn/platform/config';
import type { SendResult } from '../smtp/failover.js';
import type { CommandReply } from '../smtp/reply.js';

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

/** How often the simulator's address for deferred mail defers an email. */
const SIMULATED_DEFERRALS = 2;

const NOT_SENT = { code: 250, text: '2.0.0 Test mode: the message was built and signed, but not sent' };

/**
 * The results of the recipients whose mail stays here: every recipient of test mail, and addresses of the simulator.
 * All others need a mail server.
 */
export function listLocalResults(
  { simulatorDomain, retryScheduleSeconds }: Pick<Config, 'simulatorDomain' | 'retryScheduleSeconds'>,
  email: ClaimedEmail,
): RecipientResult[] {
  if (!email.isTest && !email.isSimulated) return [];
  // With a shorter retry schedule, the last attempt would fail.
  const isDeferred = email.deferrals < Math.min(SIMULATED_DEFERRALS, retryScheduleSeconds.length);
  return pendingRecipients(email).flatMap((recipient) => {
    const ending = findSimulatorEnding(recipient.address, simulatorDomain);
    if (ending === null) return email.isTest ? [toResult(recipient, 'sent', NOT_SENT)] : [];
    return [simulate(recipient, ending === 'unknown' ? 'delivered' : ending, isDeferred)];
  });
}

function simulate(recipient: ClaimedRecipient, ending: SimulatorEnding, isDeferred: boolean): RecipientResult {
  switch (ending) {
    case 'delivered':
    case 'complained':
      return toResult(recipient, ending, { code: 250, text: '2.0.0 Simulated: accepted' });
    case 'bounced':
      return toResult(recipient, 'bounced', { code: 550, text: '5.1.1 Simulated: the mailbox does not exist' });
    case 'deferred':
      return isDeferred
        ? toResult(recipient, 'deferred', { code: 451, text: '4.7.1 Simulated: try again later' })
        : toResult(recipient, 'sent', { code: 250, text: '2.0.0 Simulated: accepted' });
    case 'suppressed':
      return toResult(recipient, 'suppressed', {
        code: null,
        text: 'Simulated: the address is on the suppression list',
      });
    default:
      return ending satisfies never;
  }
}
