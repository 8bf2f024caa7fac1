import type { AttemptOutcome, RecipientStatus } from '@posthorn/contract';
import {
  type ClaimedEmail,
  type ClaimedRecipient,
  listPendingRecipients,
  type Outcome,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { assertMove, deriveEmailStatus, type LoggedEmail, localRoutes } from '@posthorn/domain/emails';
import type { RefusedPart } from '@posthorn/feedback';
import type { Message } from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import { formatCount } from '@posthorn/platform/values';
import type { SendResult } from '../smtp/failover.js';
import type { Relays } from '../smtp/relays.js';
import type { CommandReply } from '../smtp/reply.js';
import { giveUp, giveUpAfter, isNotAmong, toRecipientResult, withProvider } from './recipient-results.js';
import { findNextAttempt, findPauseAfterRefusal, isTooOld, shortenToExpiry } from './retry-schedule.js';
import { isTried, type SentPart, type TriedPart } from './send-parts.js';

type Policy = Pick<Context, 'config' | 'now'>;

/**
 * Turns the results of SMTP transactions into results for the email and for each recipient.
 * @param parts at least one of which was tried
 * @param local the results of the recipients that were in no part
 */
export function buildTransactionOutcome(
  ctx: Policy & PartContext,
  email: ClaimedEmail,
  parts: readonly SentPart[],
  local: readonly RecipientResult[],
): Outcome {
  const recipients = listPendingRecipients(email).filter(isNotAmong(local));
  const tried = parts.filter(isTried);
  const results = tried.flatMap((part) => buildPartResults(ctx, recipients, part));
  const all = [...results, ...local];
  const retry = findRetry(ctx, email, { tried, results: all, others: recipients.length - results.length });
  const isLast = retry.retryInSeconds === null;
  const isRefused = tried.every(isRefusedForAll);
  // While the email waits because of us, its recipients stay as they are.
  const changed = isRefused ? local : all;
  return buildOutcome(ctx, email, isLast ? all.map(giveUpAfter(tried)) : changed, {
    ...retry,
    outcome: decideAttemptOutcome(tried, all, isRefused),
    phase: findLast(tried).phase,
    route: [...new Set(tried.map(({ sent }) => sent.route))].toSorted().join(', '),
    conversation: joinParts(tried),
    staysWith: listBound(ctx, recipients, tried),
    event: findAmbiguousEvent(ctx, tried, isLast) ?? findLostWorkerEvent(email),
  });
}

type PartContext = Pick<Context, 'config'> & { readonly relays: Pick<Relays, 'findId' | 'findProvider'> };

/** We end these transactions ourselves, so they say nothing about their recipients. */
const ENDED_BY_US: ReadonlyArray<SendResult['end']> = ['lease_ended', 'withheld'];

/** The results of the recipients of a part. With AMBIGUOUS_POLICY=hold, those that may have the message get it only once. */
export function buildPartResults(
  { config, relays }: PartContext,
  recipients: readonly ClaimedRecipient[],
  { to, sent }: TriedPart,
): RecipientResult[] {
  if (ENDED_BY_US.includes(sent.end)) return [];
  const provider = relays.findProvider(sent.route);
  const results = recipients
    .filter(({ address }) => to.includes(address))
    .map((recipient) => withProvider(toRecipientResult(recipient, sent), sent, provider));
  const isHeld = sent.end === 'ambiguous' && config.ambiguousPolicy === 'hold';
  return isHeld ? results.map(giveUpAfter([{ sent }])) : results;
}

/** Whether the relay refused us for every recipient. */
function isRefusedForAll({ to, sent }: TriedPart): boolean {
  return to.every((address) => sent.replies.get(address)?.meaning === 'refuses_us');
}

function decideAttemptOutcome(
  tried: readonly TriedPart[],
  results: readonly RecipientResult[],
  isRefused: boolean,
): AttemptOutcome {
  if (tried.some(({ sent }) => sent.end === 'ambiguous')) return 'ambiguous';
  return isRefused ? 'route_fault' : deriveAttemptOutcome(results);
}

function findLast(tried: readonly TriedPart[]): SendResult {
  return (tried.at(-1) as TriedPart).sent;
}

/** If there are several parts, a line before each conversation names the relay. */
function joinParts(tried: readonly TriedPart[]): readonly string[] {
  if (tried.length === 1) return findLast(tried).conversation;
  return tried.flatMap(({ sent: { route, conversation } }) =>
    conversation[0]?.startsWith('-- ') ? conversation : [`-- ${route}`, ...conversation],
  );
}

/** The relays that may have the message, and so are the only ones that get it again. */
function listBound(
  { relays }: { readonly relays: Pick<Relays, 'findId'> },
  recipients: readonly ClaimedRecipient[],
  tried: readonly TriedPart[],
): Outcome['staysWith'] {
  const ambiguous = tried.filter(({ sent }) => sent.end === 'ambiguous');
  if (ambiguous.length === 0) return null;
  const bound = recipients.flatMap(({ position, address }) => {
    const route = ambiguous.find(({ to }) => to.includes(address))?.sent.route;
    const id = route === undefined ? null : relays.findId(route);
    return id === null ? [] : [[position, id] as const];
  });
  return Object.fromEntries(bound);
}

type Tried = {
  readonly tried: readonly TriedPart[];
  readonly results: readonly RecipientResult[];
  /** How many recipients have no result, because they were not tried. */
  readonly others: number;
};

/** An attempt is not charged if all the recipients that wait do so because of us. */
function findRetry(
  ctx: Policy,
  email: ClaimedEmail,
  { tried, results, others }: Tried,
): Pick<Outcome, 'charged' | 'retryInSeconds'> {
  const waiting = results.filter(({ status }) => status === 'deferred');
  const replies = waiting.map(({ address }) => findReply(tried, address));
  const refusals = replies.filter((reply) => reply?.meaning === 'refuses_us');
  if (refusals.length < waiting.length || refusals.length + others === 0)
    return { charged: true, retryInSeconds: atLeast(findNextAttempt(ctx, email), replies) };
  const areAll = (part: RefusedPart) => others === 0 && refusals.every((reply) => reply?.refused === part);
  const hasRoomNow = areAll('recipients') && waiting.length < results.length;
  const seconds = hasRoomNow ? 0 : findPauseAfterRefusal(ctx, email, areAll('rate'));
  return { charged: false, retryInSeconds: isTooOld(ctx, email, seconds) ? null : seconds };
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
    staysWith: rest.staysWith ?? null,
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

/** The event for a transaction that lost its connection after the final dot; null if there was none. */
function findAmbiguousEvent({ config }: Policy, tried: readonly TriedPart[], isLast: boolean): Outcome['event'] {
  const ambiguous = tried.find(({ sent }) => sent.end === 'ambiguous');
  if (!ambiguous) return null;
  const next = isLast ? 'no_retry_left' : 'retry';
  const why = ambiguous.sent.fault ?? 'The connection was lost';
  return buildAmbiguousEvent(why, config.ambiguousPolicy === 'hold' ? 'held' : next);
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

/** A server that names a time is not asked earlier. */
function atLeast(seconds: number | null, replies: ReadonlyArray<CommandReply | undefined>): number | null {
  return seconds && Math.max(seconds, ...replies.map((reply) => reply?.delaySeconds ?? 0));
}

function findReply(tried: readonly TriedPart[], address: string): CommandReply | undefined {
  return tried.find(({ sent }) => sent.replies.has(address))?.sent.replies.get(address);
}
