import { createHash } from 'node:crypto';
import type { BounceClass } from '@posthorn/contract';
import type { RefusedPart } from '../bounce-rule.js';
import {
  type BounceReply,
  classifyBounce,
  findRefusedPart,
  isAboutAddress,
  isAtOnce,
  parseReply,
} from '../classify-bounce.js';
import { parseDiagnostic } from '../dsn.js';
import { feedbackTypes } from '../report.js';
import { isKey } from './key.js';
import type { HeldList, ProviderEvent } from './provider.js';
import { shortenText } from './text.js';

/** What an event is about, whatever it says. */
export type EventSubject = Pick<ProviderEvent, 'name' | 'providerId' | 'messageId' | 'addresses' | 'occurredAt'> & {
  readonly key: unknown;
  readonly isSure?: boolean;
  /** What distinguishes it from other events of the email, such as the provider's id of it. */
  readonly id: readonly unknown[];
};

/** What an event says. */
export type Outcome = Pick<ProviderEvent, 'kind'> &
  Partial<Pick<ProviderEvent, 'bounceClass' | 'maySuppress' | 'code' | 'text' | 'about' | 'list' | 'advice'>>;

const MAX_NAME_CHARACTERS = 80;
const HASH_CHARACTERS = 27;

export function toEvent(subject: EventSubject, outcome: Outcome): ProviderEvent {
  const { key, id, name, isSure = true, ...known } = subject;
  const hashed = JSON.stringify([outcome.kind, known.providerId, known.messageId, known.addresses, ...id]);
  return {
    ...known,
    name: shortenText(name)?.slice(0, MAX_NAME_CHARACTERS) ?? '',
    key: isKey(key) ? key : null,
    isSure,
    bounceClass: null,
    maySuppress: false,
    code: null,
    about: null,
    list: null,
    advice: null,
    ...outcome,
    text: shortenText(outcome.text ?? ''),
    eventId: createHash('sha256').update(hashed).digest('base64url').slice(0, HASH_CHARACTERS),
  };
}

export const ignored: Outcome = { kind: 'ignored' };

export function delivered(text: string): Outcome {
  return { kind: 'delivered', text, code: parseReply(text).code };
}

export function deferred(words: string, status: string | null = null): Outcome {
  return { kind: 'deferred', text: words, code: parseDiagnostic(words, status).code };
}

const NO_COMPLAINTS: readonly string[] = feedbackTypes.filter((type) => type !== 'abuse' && type !== 'fraud');

/** @param feedbackType what the mailbox provider called it (RFC 5965, 7.3). `not-spam` and others are no complaints */
export function complained(feedbackType = ''): Outcome {
  return NO_COMPLAINTS.includes(feedbackType.toLowerCase()) ? ignored : { kind: 'complained', maySuppress: true };
}

export const unsubscribed: Outcome = { kind: 'unsubscribed', maySuppress: true };

export type HeldOutcome = Outcome & { readonly kind: 'held' };

export function held(list: HeldList, advice: string, text = ''): HeldOutcome {
  return { kind: 'held', list, advice, text };
}

/**
 * What the provider refuses after it took the message.
 * @param otherwise what it is about if the text does not say
 */
export function refused(text: string, otherwise: RefusedPart | 'relay'): Outcome {
  const about = findRefusedPart(parseReply(text)) ?? otherwise;
  return { kind: 'refused', about, bounceClass: about === 'message' ? 'content' : null, text };
}

/** What a provider itself says about a kind of bounce. That comes before what the mail server replied. */
export type BounceKind = {
  /** Whether it says something about the address. If not, codes such as 5.1.1 do not either. */
  readonly isPermanent: boolean;
  /** Whatever the reply says. */
  readonly class?: BounceClass;
  /** If no rule matches the reply. */
  readonly otherwise?: BounceClass;
  /** If there is no reply. */
  readonly withoutReply?: BounceClass;
};

/**
 * @param words what the mail server replied, such as `smtp; 550 5.1.1 User unknown`; empty if the provider does not say
 * @param status the enhanced status code that the provider reports beside it
 * @param shown what to show if the mail server said nothing
 */
export function bounced(kind: BounceKind, words: string, { status = '', shown = '' } = {}): Outcome {
  const reply = parseDiagnostic(words, status);
  const found = kind.class ?? classifyWith(kind, reply);
  const bounceClass = isAtOnce(found) && !kind.isPermanent ? 'unknown' : found;
  return {
    kind: 'bounced',
    bounceClass,
    maySuppress: kind.isPermanent && isAboutAddress(bounceClass),
    code: reply.code,
    text: words === '' ? shown : words,
  };
}

const VAGUE = /^[245]\.0\.0$/;

function classifyWith({ isPermanent, otherwise, withoutReply }: BounceKind, reply: BounceReply): BounceClass {
  const isSaid = /\p{L}/u.test(reply.text) || (reply.enhanced !== null && !VAGUE.test(reply.enhanced));
  if (!isSaid) return withoutReply ?? otherwise ?? 'unknown';
  const found = classifyBounce(isPermanent ? reply : toTemporary(reply));
  return found === 'unknown' ? (otherwise ?? found) : found;
}

const ANY_TEMPORARY_CODE = 450;

/** As if the mail server had said "try later", so that its codes do not decide against the address. */
function toTemporary(reply: BounceReply): BounceReply {
  const { code } = reply;
  return { ...reply, code: code !== null && code >= 500 ? code - 100 : (code ?? ANY_TEMPORARY_CODE) };
}

/** Outcomes by the provider's names of them. What is not in the table is ignored. */
export type OutcomeTable<Facts> = { readonly [name: string]: (facts: Facts) => Outcome };

export function findOutcome<Facts>(table: OutcomeTable<Facts>, name: string, facts: Facts): Outcome {
  return Object.hasOwn(table, name) ? (table[name]?.(facts) ?? ignored) : ignored;
}

export function findIn<Value>(table: { readonly [name: string]: Value }, name: string): Value | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}
