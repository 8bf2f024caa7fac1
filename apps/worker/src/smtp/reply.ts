import type { BounceClass } from '@posthorn/contract';
import { findRefusedPart, parseReply, type RefusedPart } from '@posthorn/feedback';
import { toStorableText } from '@posthorn/platform/postgres';

/** A reply from an SMTP server. This file says what one means for the session and the next relay. */
export type SmtpReply = {
  /** 250, 450, 550 ...; null if the server did not send a valid reply code. */
  readonly code: number | null;
  readonly text: string;
};

const MAX_STORED_CHARACTERS = 1_000;

/** Shortens and cleans the text so that it can be stored, whatever bytes the server sent. */
export function toReply(code: number, text: string): SmtpReply {
  const isReplyCode = code >= 200 && code < 600;
  return { code: isReplyCode ? code : null, text: toStorableText(text.slice(0, MAX_STORED_CHARACTERS)) };
}

/**
 * - accepted: the server took responsibility (2xx)
 * - deferred: the server refused for now (4xx), or ended the session
 * - bounced: the server refused for good (5xx)
 * - refuses_us: whatever the code, the server refuses us and not the recipient, such as our account or address
 * - refuses_message: whatever the code, the server refuses our message, and would do so for any recipient
 */
export type ReplyMeaning = 'accepted' | 'deferred' | 'bounced' | 'refuses_us' | 'refuses_message';

/** The command that a reply answers. DOT is the end of the message; DATA only asks to send it. */
export type CommandName = 'MAIL' | 'RCPT' | 'DATA' | 'DOT';

/** A reply from the server, the command that it answers, and what it means. */
export type CommandReply = {
  readonly reply: SmtpReply;
  readonly command: CommandName;
  readonly meaning: ReplyMeaning;
  /** What it refuses, if that is not the recipient. */
  readonly refused: RefusedPart | null;
  /** Why it was refused, if no server said so. */
  readonly bounceClass?: BounceClass;
  /** How long the server asks us to wait, in seconds. */
  readonly delaySeconds?: number;
};

export function toCommandReply(reply: SmtpReply, command: CommandName): CommandReply {
  const refused = isRefusal(reply) ? findRefusedPart(parseReply(`${reply.code} ${reply.text}`)) : null;
  return { reply, command, meaning: classifyReply(reply, command, refused), refused };
}

/**
 * Before RFC 5321 (section 4.5.3.1.10), servers replied 552 to RCPT if there were too many recipients. The next attempt
 * has fewer recipients, so it may succeed.
 */
const TOO_MANY_RECIPIENTS = 552;

/** A server may send this reply to any command; it then closes the connection (RFC 5321, 4.2.1). */
const CLOSING = 421;

/** Authentication required (530, 534, 535, RFC 4954), or encryption required (538). */
const LOGIN_REQUIRED: ReadonlyArray<number | null> = [530, 534, 535, 538];

export function isAccepted({ code }: Pick<SmtpReply, 'code'>): boolean {
  return code !== null && code >= 200 && code < 300;
}

export function isClosing({ code }: Pick<SmtpReply, 'code'>): boolean {
  return code === CLOSING;
}

function isRefusal({ code }: SmtpReply): boolean {
  return code !== null && code >= 400;
}

function classifyReply(reply: SmtpReply, command: CommandName, refused: RefusedPart | null): ReplyMeaning {
  const { code } = reply;
  if (code === null) return 'deferred';
  if (isAccepted(reply)) return 'accepted';
  if (refused !== null) return refused === 'message' ? 'refuses_message' : 'refuses_us';
  if (isClosing(reply)) return 'deferred';
  if (command === 'RCPT' && code === TOO_MANY_RECIPIENTS) return 'deferred';
  return code >= 500 && code < 600 ? 'bounced' : 'deferred';
}

/**
 * Why a transaction makes the relay suspect. Replies about the recipient or the message never do.
 * - session: the connection was lost, or the server ended or refused the session
 * - sender: the server refused the sender for now, as servers do when they are overloaded or limit how much we send
 * - refusal: the server refuses us, perhaps only for mail of this workspace or to this recipient
 */
export type Suspicion = 'session' | 'sender' | 'refusal';

export function findSuspicion({ reply, command, meaning, refused }: CommandReply): Suspicion | null {
  if (isClosing(reply) || (command !== 'DOT' && LOGIN_REQUIRED.includes(reply.code))) return 'session';
  if (meaning === 'refuses_us' && refused !== 'recipients') return 'refusal';
  return command === 'MAIL' && meaning === 'deferred' ? 'sender' : null;
}

/** A permanent refusal of the sender, or of the message's size. Another relay may accept them. */
export function isSenderRefusal({ command, meaning }: CommandReply): boolean {
  return command === 'MAIL' && (meaning === 'bounced' || meaning === 'refuses_message');
}

/**
 * Whether the next relay may be tried for a recipient with this reply, or with none. If the relay limits our rate, the
 * email waits for it.
 */
export function mayTryNextRelay(known: CommandReply | undefined): boolean {
  if (known === undefined || isSenderRefusal(known)) return true;
  return known.meaning === 'deferred' || (known.meaning === 'refuses_us' && known.refused !== 'rate');
}

const ABOUT_NOBODY = { command: 'RCPT', refused: null } as const;

/** What recipients get that wait because no server could be asked. @param why a sentence without a full stop */
export function toDeferral(why: string): CommandReply {
  return { ...ABOUT_NOBODY, meaning: 'deferred', reply: { code: null, text: toStorableText(why) } };
}

/** What recipients get that wait for something of ours. They are not charged for it. */
export function toWait(why: string): CommandReply {
  return { command: 'RCPT', meaning: 'refuses_us', refused: 'rate', reply: { code: null, text: why } };
}
