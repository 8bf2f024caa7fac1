import {
  type AttemptOutcome,
  assertMove,
  type ClaimedEmail,
  type ClaimedRecipient,
  type Config,
  deriveEmailStatus,
  type Fate,
  type Outcome,
  pendingRecipients,
  type RecipientStatus,
} from '@posthorn/domain';
import { isOverAge, nextAttempt } from './retry-schedule.js';
import type { NoRoute, Sent } from './smtp/relays.js';
import { judgeReply } from './smtp/reply.js';

/** While a template or a signing key cannot be read; the pause doubles with every attempt. */
const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 300;

type Policy = Pick<Config, 'ambiguousPolicy' | 'retryScheduleSeconds'>;

/** What a transaction means for the email and for each recipient that was in its envelope. */
export function readOutcome(policy: Policy, email: ClaimedEmail, sent: Sent): Outcome {
  const fates = pendingRecipients(email).map((recipient) => fateOf(recipient, sent));
  const retryInSeconds = nextAttempt(policy.retryScheduleSeconds, email);
  const isHeld = sent.end === 'ambiguous' && policy.ambiguousPolicy === 'hold';
  const mayRetry = retryInSeconds !== null && !isHeld;
  return conclude(email, mayRetry ? fates : fates.map(giveUp), {
    retryInSeconds,
    charged: true,
    outcome: sent.end === 'ambiguous' ? 'ambiguous' : attemptOutcomeOf(fates),
    phase: sent.phase,
    route: sent.route,
    conversation: sent.conversation,
    event: eventOf(sent, { isHeld, mayRetry }) ?? vanishedEvent(email),
  });
}

/** No relay took it: the mail waits as it was. */
export function unsent(email: ClaimedEmail, noRoute: NoRoute, pauseSeconds: number): Outcome {
  const { phase, route, conversation, fault } = noRoute;
  return waiting(email, fault, { outcome: 'route_fault', phase, route, conversation, retryInSeconds: pauseSeconds });
}

/** Something of ours is missing, and no server was asked: the mail waits as it was, longer each time. */
export function postponed(email: ClaimedEmail, why: string): Outcome {
  const retryInSeconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (email.attempt - 1), LONGEST_PAUSE_SECONDS);
  return waiting(email, why, { outcome: 'deferred', phase: 'render', route: null, conversation: [], retryInSeconds });
}

type Wait = Pick<Outcome, 'outcome' | 'phase' | 'route' | 'conversation'> & { retryInSeconds: number };

/** Uncharged, but not for ever. */
function waiting(email: ClaimedEmail, why: string, wait: Wait): Outcome {
  const isTooOld = isOverAge(email, wait.retryInSeconds);
  const fates = isTooOld ? allPending(email, 'deferred', why).map(giveUp) : [];
  return conclude(email, fates, { ...UNCHARGED, ...wait });
}

/** Stopped before its first byte, for the lease had ended: nobody has it, and if nobody holds it, it waits. */
export function untouched(email: ClaimedEmail): Outcome {
  return conclude(email, [], { ...UNCHARGED, outcome: 'deferred', phase: 'envelope', retryInSeconds: 0 });
}

/** The last worker vanished, and nobody knows whether the message left: it is not sent again. */
export function held(email: ClaimedEmail): Outcome {
  const why = 'The worker stopped while it held the email';
  const fates = allPending(email, 'deferred', why).map(giveUp);
  const event = ambiguousEvent(why, { isHeld: true, mayRetry: false });
  return conclude(email, fates, { ...UNCHARGED, outcome: 'ambiguous', phase: 'reply', retryInSeconds: null, event });
}

/** It can never be sent, and no server was asked. */
export function unsendable(email: ClaimedEmail, reason: string): Outcome {
  const fates = allPending(email, 'failed', reason);
  return conclude(email, fates, { ...UNCHARGED, outcome: 'failed', phase: 'render', retryInSeconds: null });
}

const UNCHARGED = { charged: false, route: null, conversation: [], event: null } as const;

/** Puts together the states of all recipients, those of earlier attempts included. */
export function conclude(
  email: ClaimedEmail,
  fates: readonly Fate[],
  rest: Omit<Outcome, 'id' | 'attempt' | 'status' | 'fates'>,
): Outcome {
  const now = new Map(fates.map(({ position, status }) => [position, status]));
  const derived = deriveEmailStatus(email.recipients.map(({ position, status }) => now.get(position) ?? status));
  const status = derived === 'queued' ? 'deferred' : derived;
  assertMove('sending', status);
  const { id, attempt } = email;
  const isDeferred = status === 'deferred';
  return {
    id,
    attempt,
    status,
    retryInSeconds: isDeferred ? rest.retryInSeconds : null,
    charged: rest.charged && isDeferred,
    fates,
    outcome: rest.outcome,
    phase: rest.phase,
    route: rest.route,
    conversation: rest.conversation,
    event: rest.event,
  };
}

function fateOf(recipient: ClaimedRecipient, { replies, fault }: Sent): Fate {
  const answer = replies.get(recipient.address);
  if (!answer) return toFate(recipient, 'deferred', { code: null, text: fault ?? 'The connection broke' });
  const statuses = { accepted: 'sent', deferred: 'deferred', bounced: 'bounced' } as const;
  return toFate(recipient, statuses[judgeReply(answer.reply, answer.command)], answer.reply);
}

function toFate(
  { position, address }: ClaimedRecipient,
  status: RecipientStatus,
  reply: { code: number | null; text: string },
): Fate {
  return { position, address, status, smtpCode: reply.code, smtpResponse: reply.text };
}

function allPending(email: ClaimedEmail, status: RecipientStatus, text: string): Fate[] {
  return pendingRecipients(email).map((recipient) => toFate(recipient, status, { code: null, text }));
}

function giveUp(fate: Fate): Fate {
  if (fate.status !== 'deferred') return fate;
  return { ...fate, status: 'failed', smtpResponse: `Given up; the last answer was: ${fate.smtpResponse}` };
}

/** What all fates of an attempt together make of it. */
export function attemptOutcomeOf(fates: readonly Fate[]): AttemptOutcome {
  const statuses = new Set(fates.map(({ status }) => status));
  if (statuses.size > 1) return 'partial';
  const [only] = statuses;
  return only === 'sent' || only === 'bounced' ? only : 'deferred';
}

/** An earlier attempt may have handed the message over: the copies bear the same Message-ID. */
function vanishedEvent({ reclaimed, attempt }: ClaimedEmail): Outcome['event'] {
  if (!reclaimed) return null;
  return { type: 'ambiguous', detail: `The worker of attempt ${attempt - 1} stopped; a copy may have gone out before` };
}

type Next = { readonly isHeld: boolean; readonly mayRetry: boolean };

function eventOf({ end, fault }: Sent, next: Next): Outcome['event'] {
  return end === 'ambiguous' ? ambiguousEvent(fault ?? 'the link broke', next) : null;
}

function ambiguousEvent(why: string, next: Next): Outcome['event'] {
  return {
    type: 'ambiguous',
    detail: `Nobody knows whether the server took the message (${why}): ${whatFollows(next)}`,
  };
}

function whatFollows({ isHeld, mayRetry }: Next): string {
  if (isHeld) return 'held, as AMBIGUOUS_POLICY says';
  return mayRetry
    ? 'tried again; a second copy would bear the same Message-ID'
    : 'given up, for this was the last attempt';
}
