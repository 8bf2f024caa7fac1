import { storableText } from '@posthorn/domain';

/** A server's answer to one recipient: what it means is decided here and nowhere else. */
export type SmtpReply = {
  /** 250, 450, 550 ...; null for what is no reply. */
  readonly code: number | null;
  /** The answer's text, or what happened instead. */
  readonly text: string;
};

const MAX_REPLY_CHARACTERS = 1_000;

/** What a server said, as it can be kept: whatever it sends must not keep us from recording it. */
export function toReply(code: number, text: string): SmtpReply {
  const isReplyCode = code >= 200 && code < 600;
  return { code: isReplyCode ? code : null, text: storableText(text.slice(0, MAX_REPLY_CHARACTERS)) };
}

/**
 * - accepted: the server took responsibility (2xx)
 * - deferred: not now (4xx), or the link broke before the message was out
 * - bounced: never (5xx)
 */
export type ReplyMeaning = 'accepted' | 'deferred' | 'bounced';

/** 552 to RCPT was "too many recipients" before RFC 5321, 4.5.3.1.10: the next attempt may carry them. */
const TOO_MANY_RECIPIENTS = 552;

/** RFC 5321, 4.2.1: the server says so and closes, whatever it was asked. */
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
 * Whether a reply in the envelope is about us, not about the mail: "authentication required" (530, 535, RFC 4954),
 * "encryption required" (538), or, to MAIL, "closing" (421, RFC 5321, 4.2). The next mail would hear the same. A 421
 * to RCPT is the mail's: servers close on one that names too many unknown recipients.
 */
export function concernsRoute({ code }: SmtpReply, command: 'RCPT' | 'DATA' | 'MAIL'): boolean {
  if (code === CLOSING) return command === 'MAIL';
  return code !== null && [530, 534, 535, 538].includes(code);
}
