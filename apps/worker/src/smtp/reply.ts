import { storableText } from '@posthorn/domain';

/** A reply from an SMTP server. Only this file decides what a reply means. */
export type SmtpReply = {
  /** 250, 450, 550 ...; null if the server did not send a valid reply code. */
  readonly code: number | null;
  readonly text: string;
};

const MAX_STORED_CHARACTERS = 1_000;

/** Shortens and cleans the text so that it can be stored, whatever bytes the server sent. */
export function toReply(code: number, text: string): SmtpReply {
  const isReplyCode = code >= 200 && code < 600;
  return { code: isReplyCode ? code : null, text: storableText(text.slice(0, MAX_STORED_CHARACTERS)) };
}

/**
 * - accepted: the server took responsibility (2xx)
 * - deferred: the server refused for now (4xx), or the connection was lost before the message was sent
 * - bounced: the server refused for good (5xx)
 */
export type ReplyMeaning = 'accepted' | 'deferred' | 'bounced';

/** Before RFC 5321, 4.5.3.1.10, servers sent 552 to RCPT for too many recipients. The next attempt has fewer. */
const TOO_MANY_RECIPIENTS = 552;

/** A server may send this reply to any command; it then closes the connection (RFC 5321, 4.2.1). */
const CLOSING = 421;

export function isAccepted({ code }: Pick<SmtpReply, 'code'>): boolean {
  return code !== null && code >= 200 && code < 300;
}

export function isClosing({ code }: SmtpReply): boolean {
  return code === CLOSING;
}

export function classifyReply({ code }: SmtpReply, command: 'RCPT' | 'DATA' | 'MAIL'): ReplyMeaning {
  if (code === null) return 'deferred';
  if (isAccepted({ code })) return 'accepted';
  if (command === 'RCPT' && code === TOO_MANY_RECIPIENTS) return 'deferred';
  return code >= 500 && code < 600 ? 'bounced' : 'deferred';
}

/**
 * Whether a reply to an envelope command is about us and not about the email, so that the next email would get it
 * too: authentication required (530, 534, 535, RFC 4954), encryption required (538), or closing (421, RFC 5321, 4.2)
 * in reply to MAIL. A 421 to RCPT is about the email, because servers close when it has too many unknown recipients.
 */
export function isRouteFault({ code }: SmtpReply, command: 'RCPT' | 'DATA' | 'MAIL'): boolean {
  if (code === CLOSING) return command === 'MAIL';
  return code !== null && [530, 534, 535, 538].includes(code);
}
