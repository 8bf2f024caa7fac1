import type { BounceClass } from '@posthorn/contract';
import type { BounceRule, RefusedPart } from './bounce-rule.js';
import { bounceRules } from './bounce-rules.js';

/** What a mail server said about a recipient, in an SMTP session or in a bounce. */
export type BounceReply = {
  /** The reply code (RFC 5321, 4.2), such as 550; null if there is none. */
  readonly code: number | null;
  /** The enhanced status code (RFC 3463), such as 5.1.1; null if there is none. */
  readonly enhanced: string | null;
  readonly text: string;
  /** The reply of another server, if this one repeats it. The codes are then those of that reply. */
  readonly quoted?: string;
  /** Whether the enhanced code is not in the reply, so the server that reports the reply has guessed it. */
  readonly isEnhancedGuessed?: boolean;
  /** Whether it answers a command before `RCPT`, such as `MAIL`. Then it is about us. */
  readonly isToSender?: boolean;
};

/** The codes are separated by spaces, hyphens, colons or `#`, as in `550 5.1.1`, `550-5.1.1` and `550 #5.1.1`. */
const CODES = /^\s*(?:([245]\d\d)(?!\d))?(?:[\s#-]|:(?=\s))*(?:([245]\.\d{1,3}\.\d{1,3})(?![\d.]))?/;
const ENHANCED_ANYWHERE = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.-])/;
const REPLY_CODE_ANYWHERE = /(?<![\d.])([45]\d\d)(?=[\s-]#?[45]\.\d{1,3}\.\d{1,3})/;

/** No useful reply is longer. The patterns that classify it take quadratic time. */
const MAX_CHARACTERS = 1_000;

/**
 * The beginning of another server's reply: `550-'5.7.1 ...` (IronPort), `-> 550 ...` and `returned '550 ...` (Exchange),
 * `said: 550 ...` (Postfix), `<<< 550 ...` (sendmail).
 */
const QUOTED_REPLY =
  /(?:(?:->|<<<|:|\berror|\breturned|\breplied|\bresponded(?: with)?)\s*['"<(]?(?=[245]\d\d[ -])|(?=[245]\d\d[ -]['"]))/gi;

/** What Postfix and qmail write after the reply of the other server. */
const REPORTER_ENDING = / (?:\(in reply to (?:end of )?[A-Z ]+ command\)|Giving up on \S+)$/i;

/** What Exim, Postfix and qmail write if the other server refused us before they named the recipient. */
export const IS_TO_SENDER =
  /\b(?:after|in reply to)(?: pipelined)? (?:(?:MAIL|EHLO|HELO|LHLO|STARTTLS|AUTH)\b|initial connection)|\bbut (?:sender|my name) was rejected|\bbut greeting failed/i;

/**
 * Reads a reply as servers print it, for example in a Diagnostic-Code field. Every line of a reply of several lines may
 * begin with the codes (RFC 5321, 4.2.1; RFC 2034, 4), so they are removed from the text. If a server repeats the reply
 * of another one, whose words say more than its own, the codes are those of the innermost reply. What follows after the
 * first 1,000 characters is ignored.
 */
export function parseReply(reply: string): BounceReply {
  const printed = reply.slice(0, MAX_CHARACTERS).replace(/\s+/g, ' ').trim();
  const text = printed.replace(REPORTER_ENDING, '');
  const whole = { ...parseCodes(text), isToSender: IS_TO_SENDER.test(printed) };
  const start = findQuotedReply(text);
  if (start === 0) return whole;
  const { code, enhanced, text: quoted } = parseCodes(text.slice(start).replace(/^(\d{3}[ -])['"]/, '$1'));
  return { ...whole, code, enhanced, quoted };
}

/** @returns where the innermost reply begins; 0 if it is the whole text */
function findQuotedReply(text: string): number {
  let start = 0;
  for (const { index, 0: introduction } of text.matchAll(QUOTED_REPLY)) {
    const at = index + introduction.length;
    // A reply of several lines repeats its code, also after a line that ends with a colon.
    const isNextLine = text.startsWith(`${text.slice(at, at + 3)}-`, start) && !/['"]/.test(text.charAt(at + 4));
    if (!isNextLine) start = at;
  }
  return start;
}

function parseCodes(text: string): BounceReply {
  const [, first, enhancedFirst] = CODES.exec(text) ?? [];
  const code = first ?? REPLY_CODE_ANYWHERE.exec(text)?.[1];
  const enhanced = enhancedFirst ?? ENHANCED_ANYWHERE.exec(text)?.[1] ?? null;
  return { code: code === undefined ? null : Number(code), enhanced, text: stripCodes(text, code, enhanced) };
}

function stripCodes(text: string, code: string | undefined, enhanced: string | null): string {
  if (code === undefined) return text;
  const prefix = enhanced === null ? `${code}(?:[ -]|: )` : `${code}:?[ -]#?${enhanced.replaceAll('.', '\\.')} ?`;
  return text.replace(new RegExp(`(?<![\\d.])${prefix}`, 'g'), '').trim();
}

/**
 * Finds the class of a refusal. Where the reply code and the enhanced code disagree, the reply code says whether to try
 * again, and the enhanced code says why it was refused.
 */
export function classifyBounce(reply: BounceReply): BounceClass {
  return findRule(reply)?.class ?? 'unknown';
}

/** What the reply refuses, if it is not about the recipient; null if it is, or if that cannot be told. */
export function findRefusedPart(reply: BounceReply): RefusedPart | null {
  return findRule(reply)?.about ?? null;
}

/** The words in addresses, such as `spf@` or `@spamhaus.org`, say nothing about the reason. */
const ADDRESSES = /<?[^\s<>@,;:"'()[\]]{1,64}@[^\s<>@,;:"'()[\]]+>?/g;
/** The name of the server that Postfix or Exim repeats the reply of. */
const HOSTS = /\bhost [\w-]+(?:\.[\w-]+)+(?= ?\[[^\]]*\][:\d]*(?: said\b|:)| said\b)/gi;
/** Servers add where to read more and what to check, whatever the reason is. */
const ADVICE =
  /(?:(?<=[.;!,:)>-] ?)(?:also |or )?(?:see|visit|read (?:our|the|more|about|http)|refer to|go to|learn more|more (?:info(?:rmation)?|details)|for (?:\w+ )?(?:info(?:rmation)?|details|help|explanation|assistance))\b|(?<=\S )please (?:see|visit|read|refer|review|check|double|verify|ensure|make sure|contact|consult)\b)(?:[^.;]|\.(?=\S))*/gi;
const LINKS = /\bhttps?:\/\/[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+/gi;

function stripAddresses(text: string): string {
  return text.replace(ADDRESSES, '<>').replace(HOSTS, 'host');
}

/** What is said about the address in a link or in advice is about any address. */
const ABOUT_ADDRESS: readonly BounceClass[] = ['bad_mailbox', 'inactive', 'bad_domain', 'mailbox_full'];

/** Whether a bounce of this class says something about the address. Only such bounces may suppress it. */
export function isAboutAddress(bounceClass: BounceClass): boolean {
  return ABOUT_ADDRESS.includes(bounceClass);
}

/** These classes suppress at once. A reply that says "try later" never does, even if it was the last one. */
const AT_ONCE: readonly BounceClass[] = ['bad_mailbox', 'inactive'];

export function isAtOnce(bounceClass: BounceClass): boolean {
  return AT_ONCE.includes(bounceClass);
}

function isTemporary({ code, enhanced }: BounceReply): boolean {
  return code === null ? enhanced?.startsWith('4') === true : code >= 400 && code < 500;
}

/**
 * If the server that reports a reply has guessed its enhanced code, that code alone does not decide against the address:
 * what the reply says does. Only a reply without words has nothing else.
 * @returns the first rule that matches, or null
 */
export function findRule(reply: BounceReply): BounceRule | null {
  const hasWords = /\p{L}/u.test(stripAddresses(reply.text));
  return findFirstRule(reply.isEnhancedGuessed && hasWords ? removeGuess(reply) : reply);
}

/**
 * A guess that says something else, such as that a policy refused it, does no harm. Whether it is temporary is known in
 * any case.
 */
function removeGuess(reply: BounceReply): BounceReply {
  const { enhanced } = reply;
  if (enhanced === null) return reply;
  const decidesAlone = bounceRules.some(
    (rule) => isAboutAddress(rule.class) && !rule.text && rule.enhanced?.test(enhanced),
  );
  return decidesAlone ? { ...reply, enhanced: `${enhanced.charAt(0)}.0.0` } : reply;
}

/** Links and advice count only if no rule matches without them, or only one for codes or for what every server says. */
function findFirstRule(reply: BounceReply): BounceRule | null {
  const { text, quoted = text } = reply;
  const strip = (part: string) => stripAddresses(part).replace(ADVICE, '').replace(LINKS, '').trim();
  const stripped = { ...reply, text: strip(text), quoted: strip(quoted) };
  const whole = { ...reply, text: stripAddresses(text), quoted: stripAddresses(quoted) };
  const found = bounceRules.find((rule) => matchesRule(rule.matchesLinks ? whole : stripped, rule)) ?? null;
  const hasLinks = stripped.text !== whole.text || stripped.quoted !== whole.quoted;
  if (!hasLinks || (found !== null && (saysWhy(found) || !isAboutAddress(found.class)))) return found;
  const isSaid = bounceRules.some((rule) => saysWhy(rule) && isAboutAddress(rule.class) && matchesRule(stripped, rule));
  if (isSaid) return found;
  return bounceRules.find((rule) => rule.text && !isAboutAddress(rule.class) && matchesRule(whole, rule)) ?? found;
}

/** Whether a rule needs words that say why. */
function saysWhy({ text, matchesLinks }: BounceRule): boolean {
  return text !== undefined && matchesLinks === undefined;
}

function matchesRule(reply: BounceReply, rule: BounceRule): boolean {
  const { code, enhanced, text, quoted = text, isToSender } = reply;
  return (
    !(isToSender && isAboutAddress(rule.class)) &&
    !(isTemporary(reply) && isAtOnce(rule.class)) &&
    (rule.codes === undefined || (code !== null && rule.codes.includes(code))) &&
    (rule.enhanced === undefined || (enhanced !== null && rule.enhanced.test(enhanced))) &&
    (rule.exceptEnhanced === undefined || enhanced === null || !rule.exceptEnhanced.test(enhanced)) &&
    (rule.text === undefined || rule.text.test(rule.matchesWholeReply ? text : quoted)) &&
    (rule.exceptText === undefined || !rule.exceptText.test(quoted))
  );
}
