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
 * - deferred: the server refused for now (4xx), or refused us rather than the email
 * - bounced: the server refused for good (5xx)
 */
export type ReplyMeaning = 'accepted' | 'deferred' | 'bounced';

/** The command that a reply answers. DOT is the end of the message; DATA only asks to send it. */
export type CommandName = 'MAIL' | 'RCPT' | 'DATA' | 'DOT';

/** A reply from the server, the command that it answers, and what it means. */
export type CommandReply = { readonly reply: SmtpReply; readonly command: CommandName; readonly meaning: ReplyMeaning };

export function toCommandReply(reply: SmtpReply, command: CommandName): CommandReply {
  return { reply, command, meaning: classifyReply(reply, command) };
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

export function isClosing({ code }: SmtpReply): boolean {
  return code === CLOSING;
}

function classifyReply(reply: SmtpReply, command: CommandName): ReplyMeaning {
  const { code } = reply;
  if (code === null) return 'deferred';
  if (isAccepted(reply)) return 'accepted';
  if (isAboutSession(reply, command)) return 'deferred';
  if (command === 'RCPT' && code === TOO_MANY_RECIPIENTS) return 'deferred';
  return code >= 500 && code < 600 ? 'bounced' : 'deferred';
}

/** Whether the server refuses us rather than the email. After the final dot, only a 421 can mean that. */
function isAboutSession(reply: SmtpReply, command: CommandName): boolean {
  return isClosing(reply) || (command !== 'DOT' && LOGIN_REQUIRED.includes(reply.code));
}

/**
 * Why a transaction makes the relay suspect. Replies about the recipient or the message never do.
 * - session: the connection was lost, or the server ended or refused the session
 * - sender: the server refused the sender for now, as servers do when they are overloaded or limit how much we send
 */
export type Suspicion = 'session' | 'sender';

export function findSuspicion({ reply, command, meaning }: CommandReply): Suspicion | null {
  if (isAboutSession(reply, command)) return 'session';
  return command === 'MAIL' && meaning === 'deferred' ? 'sender' : null;
}

/** A permanent refusal of the sender. Another relay may accept the same sender. */
export function isSenderRefusal({ command, meaning }: CommandReply): boolean {
  return command === 'MAIL' && meaning === 'bounced';
}

/** Whether the next relay may be tried for a recipient with this reply, or with none. */
export function mayTryNextRelay(known: CommandReply | undefined): boolean {
  return known === undefined || known.meaning === 'deferred' || isSenderRefusal(known);
}
