import type { AttemptOutcome, BounceClass, RecipientStatus } from '@posthorn/contract';
import {
  type ClaimedEmail,
  type ClaimedRecipient,
  listPendingRecipients,
  type Outcome,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { assertMove, deriveEmailStatus, type LoggedEmail, localRoutes } from '@posthorn/domain/emails';
import { canSuppress } from '@posthorn/domain/suppressions';
import { classifyBounce, parseReply, type RefusedPart } from '@posthorn/feedback';
import type { Message } from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import { formatCount } from '@posthorn/platform/values';
import type { SendResult } from '../smtp/failover.js';
import type { CommandReply } from '../smtp/reply.js';
import { findNextAttempt, findPauseAfterRefusal, isTooOld, shortenToExpiry } from './retry-schedule.js';

type Policy = Pick<Context, 'config' | 'now'>;

/**
 * Turns the result of an SMTP transaction into results for the email and for each recipient in its envelope.
 * @param local the results of the recipients that were not in the envelope
 */
export function buildTransactionOutcome(
  ctx: Policy,
  email: ClaimedEmail,
  sent: SendResult,
  local: readonly RecipientResult[],
): Outcome {
  const recipients = listPendingRecipients(email).filter(isNotAmong(local));
  const results = [...recipients.map((recipient) => toRecipientResult(recipient, sent)), ...local];
  const { charged, retryInSeconds } = findRetry(ctx, email, { sent, results });
  const next = decideNextStep(ctx, sent, retryInSeconds);
  const isRefused = recipients.every(({ address }) => sent.replies.get(address)?.meaning === 'refuses_us');
  // While the email waits because of us, its recipients stay as they are.
  const changed = isRefused ? local : results;
  return buildOutcome(ctx, email, next === 'retry' ? changed : results.map(giveUpAfter(sent)), {
    retryInSeconds,
    charged,
    outcome: decideAttemptOutcome(sent, results, isRefused),
    phase: sent.phase,
    route: sent.route,
    conversation: sent.conversation,
    event: findAmbiguousEvent(sent, next) ?? findLostWorkerEvent(email),
  });
}

/** @param isRefused whether the relay refused us for every recipient */
function decideAttemptOutcome(
  { end }: SendResult,
  results: readonly RecipientResult[],
  isRefused: boolean,
): AttemptOutcome {
  if (end === 'ambiguous') return 'ambiguous';
  return isRefused ? 'route_fault' : deriveAttemptOutcome(results);
}

type Sent = { readonly sent: SendResult; readonly results: readonly RecipientResult[] };

/** An attempt is not charged if all the recipients that wait do so because a relay refused us. */
function findRetry(
  ctx: Policy,
  email: ClaimedEmail,
  { sent: { end, replies }, results }: Sent,
): Pick<Outcome, 'charged' | 'retryInSeconds'> {
  const waiting = results.filter(({ status }) => status === 'deferred');
  const refusals = waiting
    .map(({ address }) => replies.get(address))
    .filter((reply) => reply?.meaning === 'refuses_us');
  if (end === 'ambiguous' || refusals.length === 0 || refusals.length < waiting.length)
    return { charged: true, retryInSeconds: findNextAttempt(ctx, email) };
  const areAll = (part: RefusedPart) => refusals.every((reply) => reply?.refused === part);
  const hasRoomNow = areAll('recipients') && waiting.length < results.length;
  const seconds = hasRoomNow ? 0 : findPauseAfterRefusal(ctx, email, areAll('rate'));
  return { charged: false, retryInSeconds: isTooOld(ctx, email, seconds) ? null : seconds };
}

function decideNextStep({ config }: Policy, { end }: SendResult, retryInSeconds: number | null): NextStep {
  if (end === 'ambiguous' && config.ambiguousPolicy === 'hold') return 'held';
  return retryInSeconds === null ? 'no_retry_left' : 'retry';
}

/** The outcome of an attempt whose message stays here, because it is test mail or for the simulator. */
export function buildLocalOutcome(
  ctx: Policy,
  email: ClaimedEmail,
  message: Message,
  local: readonly RecipientResult[],
): Outcome {
  const retryInSeconds = findNextAttempt(ctx, email);
  return buildOutcome(ctx, email, retryInSeconds === null ? local.map(giveUp) : local, {
    retryInSeconds,
    charged: true,
    outcome: deriveAttemptOutcome(local),
    phase: 'reply',
    route: email.isTest ? localRoutes.testMode : localRoutes.simulator,
    conversation: [`-- The message is ${formatCount(message.length)} bytes long. It was not sent to a server`],
    event: findLostWorkerEvent(email),
  });
}

/** Defaults for an attempt that does not count against the retry schedule. */
export const UNCHARGED = { charged: false, route: null, conversation: [], event: null } as const;

/** Derives the email's status from all recipients, including those with a final result from an earlier attempt. */
export function buildOutcome(
  ctx: Pick<Context, 'now'>,
  email: ClaimedEmail,
  recipientResults: readonly RecipientResult[],
  rest: Omit<Outcome, keyof LoggedEmail | 'attempt' | 'status' | 'recipientResults'>,
): Outcome {
  const changed = new Map(recipientResults.map(({ position, status }) => [position, status]));
  const derived = deriveEmailStatus(email.recipients.map(({ position, status }) => changed.get(position) ?? status));
  const status = derived === 'queued' ? 'deferred' : derived;
  assertMove('sending', status);
  const { id, attempt, requestId = null, traceparent = null } = email;
  const isDeferred = status === 'deferred';
  return {
    id,
    attempt,
    requestId,
    traceparent,
    status,
    retryInSeconds: isDeferred ? shortenToExpiry(ctx, email, rest.retryInSeconds) : null,
    charged: rest.charged && isDeferred,
    recipientResults,
    outcome: rest.outcome,
    phase: rest.phase,
    route: rest.route,
    conversation: rest.conversation,
    event: rest.event,
  };
}

const OUTCOME_OF: { readonly [Status in RecipientStatus]?: AttemptOutcome } = {
  sent: 'sent',
  delivered: 'sent',
  complained: 'sent',
  bounced: 'bounced',
  suppressed: 'failed',
  failed: 'failed',
};

export function deriveAttemptOutcome(results: readonly RecipientResult[]): AttemptOutcome {
  const outcomes = new Set(results.map(({ status }) => OUTCOME_OF[status] ?? 'deferred'));
  const [only = 'deferred', other] = outcomes;
  return other === undefined ? only : 'partial';
}

/** The email is sent again only with `retry`. `held` is the result of AMBIGUOUS_POLICY=hold. */
type NextStep = 'retry' | 'held' | 'no_retry_left';

/** The event for a transaction that lost its connection after the final dot; null for any other transaction. */
function findAmbiguousEvent({ end, fault }: SendResult, next: NextStep): Outcome['event'] {
  return end === 'ambiguous' ? buildAmbiguousEvent(fault ?? 'The connection was lost', next) : null;
}

export function buildAmbiguousEvent(why: string, next: NextStep): Outcome['event'] {
  return { type: 'ambiguous', detail: `${why}, so the server may have the message. ${WHAT_FOLLOWS[next]}` };
}

/**
 * After the lease of an attempt expired before its outcome was recorded, the next attempt records that an earlier copy
 * may exist.
 */
export function findLostWorkerEvent({ reclaimed, attempt, ambiguousAttempts }: ClaimedEmail): Outcome['event'] {
  if (!reclaimed || ambiguousAttempts === 0) return null;
  const why =
    reclaimed === 'ambiguous'
      ? `The worker stopped, or lost Postgres, during attempt ${attempt - 1}`
      : 'The result of an earlier attempt is unknown';
  return { type: 'ambiguous', detail: `${why}, so the server may have received an earlier copy.` };
}

const WHAT_FOLLOWS: Readonly<Record<NextStep, string>> = {
  held: 'It will not be sent again, because AMBIGUOUS_POLICY is hold.',
  no_retry_left: 'It will not be sent again, because this was the last attempt.',
  retry: 'It will be sent again. A second copy would have the same Message-ID.',
};

const STATUSES = {
  accepted: 'sent',
  deferred: 'deferred',
  bounced: 'bounced',
  refuses_us: 'deferred',
  refuses_message: 'failed',
} as const;

/** What the server's reply means for one recipient. If there was no reply, the recipient is deferred. */
function toRecipientResult(recipient: ClaimedRecipient, { replies, fault }: SendResult): RecipientResult {
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

/** As `giveUp`, after a transaction whose replies say why the recipients were deferred. */
function giveUpAfter({ replies }: Pick<SendResult, 'replies'>): (result: RecipientResult) => RecipientResult {
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
