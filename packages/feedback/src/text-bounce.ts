import type { Email } from 'postal-mime';
import { type BounceReply, classifyBounce, IS_TO_SENDER, parseReply } from './classify-bounce.js';
import { parseDeliveryStatus } from './dsn.js';
import { toText } from './html-text.js';
import type { ReportedRecipient } from './report.js';
import { MAX_RECIPIENTS, parseRecipientAddress } from './report-fields.js';
import { type TextBounceFormat, textBounceFormats } from './text-bounce-formats.js';

/** Longer texts hold the returned message, which follows the report. */
const MAX_CHARACTERS = 20_000;
const MAX_HTML_CHARACTERS = 5 * MAX_CHARACTERS;
const RETURNED_MESSAGE =
  /^[ -]*(?:Original message|This is a copy of|The header of the original|Below this line|Below is a copy|Message headers? follow)/im;

/**
 * Reads bounces of servers that write no message/delivery-status part.
 * @returns no recipients if the message is not a bounce
 */
export function parseTextBounce(email: Email): ReportedRecipient[] {
  const text = email.text?.trim() ? email.text : toText((email.html ?? '').slice(0, MAX_HTML_CHARACTERS));
  const [report = ''] = text.replace(/\r\n?/g, '\n').slice(0, MAX_CHARACTERS).split(RETURNED_MESSAGE);
  for (const format of textBounceFormats) {
    if (!format.marker.test(report)) continue;
    const recipients = listRecipients(format, `${report}\n`);
    // A person may have forwarded a bounce of their own address.
    if (recipients.length > 0)
      return recipients.filter(({ address }) => address !== email.from?.address?.toLowerCase());
  }
  return isFromServer(email) && saysItFailed(email, report) ? parseUnknownFormat(email, report) : [];
}

const SERVER = /^(?:mailer-?daemon|mail-?daemon|mdaemon|postmaster|mail-?delivery)\b/i;

function isFromServer({ from }: Email): boolean {
  return SERVER.test(from?.address ?? '');
}

const FAILED =
  /undeliver|returned mail|returning message|(?:not|n't) (?:be )?delivered|delivery (?:has |to .{0,80} has )?fail|fail(?:ed|ure)|came back|does not exist|permanent error|error has occurred|rejected/i;
/** Words as in `was not rejected` do not say that it failed. */
const NEGATED = /\b(?:not|never|no|n't)(?: (?:been|be|yet|a|an))* (?:rejected|undeliver\w*|fail\w*)/gi;
/** Warnings of a server that will try again, absence notices, and mail that is held until the sender confirms it. */
const NOT_YET =
  /\bdelay|\bwarning\b|(?:will|going to|continues? to|keeps?) (?:be )?(?:re-?sent|retr(?:y|ied)|keep trying|attempt|try|tried|trying)|(?:will|going to) (?:be )?(?:sen[dt]|deliver(?:ed)?) (?:\w+ ){0,2}(?:again|later)|(?:not need|no need|need not) (?:to )?(?:be )?re-?sen[dt]|not been delivered (?:\w+ ){1,3}\d{1,2} (?:hour|minute)|(?:stays?|remains?|kept|still|is) (?:\w+ )?in (?:the|our|its) (?:\w+ )?queue|\b(?:another|next|new) (?:\w+ )?attempt\b|attempts will continue|\d+ more (?:hour|day|minute)|still trying|not yet been delivered|automatic reply|auto-?reply|out of (?:the )?office|\bis (?:being )?held\b|\bquarantined?\b|(?:awaiting|needs?|requires?) (?:your )?confirmation|confirm (?:that you|your)/i;
/** The same in the languages in which reports are often written. Their words for "failed" are too many. */
const NOT_YET_TRANSLATED =
  /verz(?:ö|oe)ger|\bwarnung\b|erneut|weiter(?:hin)? versuch|abwesen|noch nicht zugestellt|\bretard|\bavertissement\b|nouvelle tentative|réessay|absen[ct]|\bretras|\badvertencia\b|reintent|ritard|\bavviso\b|\batras|\baviso\b|vertraag|opnieuw|opóźni|\bp?försen|forsink|pour (?:le moment|l'instant)|derzeit|vorübergehend|ainda não|non è ancora|aún no|todavía|nog niet|jeszcze nie|пока не|ещё не|еще не|まだ|尚未|temporär|temporaire|temporane|temporári|temporari[oa]\b|temporalmente|tentar (?:\w+ )?nova|nova tentativa|nuovo tentativo|rinviat|riprov|tijdelijk|tymczasow|ponown|tillfällig|отлож|задерж|повтор|временн|позже|延迟|延遲|推迟|重试|重試|再次|稍后|稍後|暂时|暫時|遅延|遅れ|再送|再試行|一時的|後ほど|지연|재시도|일시/i;

/** A warning too, unless the server also says that it gave up, or repeats a refusal. */
const FAILED_FOR_NOW = /failed temporarily|temporar(?:y|ily) (?:fail|problem)|\bfailed for now\b/i;
const GAVE_UP = /\bg(?:iv(?:en|ing)|ave) up\b|\bexhausted\b|\bno (?:further|more) (?:attempts|retries)\b/i;

function isForNow(text: string, report: string): boolean {
  return FAILED_FOR_NOW.test(text) && !GAVE_UP.test(text) && findRefusal(report) === '';
}

/** A courier or a shop may have an address like that of a server. */
const OTHER_THINGS = /\b(?:parcel|package|shipment|courier|order|payment|invoice|backup|login|fax)(?:e?s)?\b/i;

/** The sentences about mail. If a mail server's reply is there, all are. */
function removeOtherThings(text: string, report: string): string {
  if (findRefusal(report) !== '') return text;
  return text
    .split(/[.\n]/)
    .filter((sentence) => !OTHER_THINGS.test(sentence))
    .join('\n');
}

/** Servers write X-Failed-Recipients whatever their language is, and in warnings too, so without text it says nothing. */
function saysItFailed({ subject = '', headers }: Email, report: string): boolean {
  const text = `${subject}\n${report}`;
  const namesRecipients = headers.some(({ key }) => key === 'x-failed-recipients');
  if (NOT_YET.test(text) || isForNow(text, report) || (namesRecipients && NOT_YET_TRANSLATED.test(text))) return false;
  return (namesRecipients && report.trim() !== '') || FAILED.test(removeOtherThings(text, report).replace(NEGATED, ''));
}

const FIELDS = /^(?:Final-Recipient|Action|Status|Diagnostic-Code)[ \t]*:/im;
/** A line of the returned message's header. The addresses after it are not about the failure. */
const HEADER_LINE =
  /^[ \t]*(?:(?:Received|From|To|Cc|Sender|Subject|Date|References|[A-Za-z]+(?:-[A-Za-z0-9]+)+)[ \t]*:|--\S+$)/im;
/** An address at the beginning of a line, or after "not delivered to:". Others in a sentence may be of a help desk. */
const ADDRESS_IN_TEXT =
  /^(?:.{0,200}\bnot (?:be )?delivered to:)?[\s<"'(*-]*([^\s<>"'(),:;[\]]+@[^\s<>"'(),:;[\]]+[^\s<>"'(),:;.[\]])[>"')]*(?=\s*$|:|<mailto:)/gm;

/**
 * Reads a report in a format that we do not know. The recipients are in a field of the header, in fields that are in the
 * text, or at the beginning of a line. Only addresses that the email was sent to will count.
 */
function parseUnknownFormat({ headers }: Email, report: string): ReportedRecipient[] {
  const unquoted = report.replace(/^>.*$/gm, '');
  const fields = FIELDS.exec(unquoted);
  const fromFields = fields ? parseDeliveryStatus(unquoted.slice(fields.index)) : [];
  if (fromFields.some(({ address }) => address !== null)) return fromFields;
  const named = headers.filter(({ key }) => key === 'x-failed-recipients').flatMap(({ value }) => value.split(','));
  const [prose = ''] = unquoted.split(HEADER_LINE);
  const mentions = [...prose.matchAll(ADDRESS_IN_TEXT)]
    .slice(0, MAX_RECIPIENTS)
    .map(({ index, 0: { length }, 1: address = '' }) => ({
      address: parseRecipientAddress(address),
      at: index,
      end: index + length,
    }));
  const inHeader = named.slice(0, MAX_RECIPIENTS).map(parseRecipientAddress);
  const addresses = new Set([...inHeader, ...mentions.map(({ address }) => address)].slice(0, MAX_RECIPIENTS));
  const shared = findRefusal(unquoted);
  const own = addresses.size > 1 ? findOwnRefusals(prose, mentions) : new Map<string | null, string>();
  return [...addresses]
    .filter((address) => address !== null)
    .map((address) => {
      // If one recipient has a refusal of its own, that says nothing about the others.
      const reply = parseReply(own.size > 0 ? (own.get(address) ?? '') : shared);
      return { address, originalAddress: null, action: 'failed', reply, class: classifyBounce(reply) };
    });
}

type AddressMention = { readonly address: string | null; readonly at: number; readonly end: number };

/** Addresses with no word between them share what is said about them. */
function groupMentions(prose: string, mentions: readonly AddressMention[]): AddressMention[][] {
  const groups: AddressMention[][] = [];
  let end = 0;
  for (const mention of mentions) {
    const isAlone = /[\p{L}\p{N}]/u.test(prose.slice(end, mention.at));
    if (isAlone || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(mention);
    end = mention.end;
  }
  return groups;
}

/** If a report has a refusal for each recipient, it is next to the address: before it if the report begins with one. */
function findOwnRefusals(prose: string, mentions: readonly AddressMention[]): Map<string | null, string> {
  const groups = groupMentions(prose, mentions);
  const ends = [0, ...groups.map(([first]) => first?.at ?? 0), prose.length];
  const isBefore = findRefusal(prose.slice(0, ends[1])) !== '';
  const refusals = new Map<string | null, string>();
  for (const [index, group] of groups.entries()) {
    const first = isBefore ? index : index + 1;
    const refusal = findRefusal(prose.slice(ends[first], ends[first + 1]));
    for (const { address } of group) if (refusal !== '' && !refusals.has(address)) refusals.set(address, refusal);
  }
  return refusals;
}

/** What the two lines before a reply say about the command that it answers; empty unless it was about us. */
function findSenderCommand(before: string): string {
  const [command] = IS_TO_SENDER.exec(before.split('\n').slice(-2).join(' ')) ?? [];
  return command ? `${command}: ` : '';
}

/** The SMTP reply in a report, or the line after "Reason:". */
function findRefusal(report: string): string {
  const refusal =
    /(?<![\d.])(?:5\d\d(?:[ -]|: )#?(?:5\.\d{1,3}\.\d{1,3})?|5\.\d{1,3}\.\d{1,3})(?![\d.]).*(?:\n[ \t]+\S.*)*/.exec(
      report,
    );
  if (refusal) return `${findSenderCommand(report.slice(0, refusal.index))}${refusal[0]}`;
  return /\breason:?\s*\n\s*(.+)/i.exec(report)?.[1] ?? '';
}

function listRecipients({ entry, action, session }: TextBounceFormat, report: string): ReportedRecipient[] {
  const entries = [...report.matchAll(entry)].slice(0, MAX_RECIPIENTS);
  const isSingle = entries.length === 1;
  const replies = session ? listSessionReplies(report, session) : [];
  return entries.flatMap(({ groups = {} }) => {
    const address = parseRecipientAddress(groups.address ?? groups.quoted ?? '');
    if (address === null) return [];
    const fromSession = isSingle ? (replies[0]?.text ?? '') : findOwnReply(replies, address);
    const reason = groups.reason?.trim() || fromSession;
    const toSender = replies.find(({ text }) => IS_TO_SENDER.test(text) && text.endsWith(`: ${reason}`));
    const reply = parseServerReply(toSender?.text ?? reason);
    const bounceClass = action === 'failed' ? classifyBounce(reply) : null;
    return [{ address, originalAddress: null, action, reply, class: bounceClass }];
  });
}

type SessionReply = {
  readonly text: string;
  /** The recipient that the reply names, or whose `RCPT` it follows; null if it is about all. */
  readonly about: string | null;
};

const MAX_SESSION_REPLIES = 4 * MAX_RECIPIENTS;

function listSessionReplies(report: string, session: RegExp): SessionReply[] {
  return [...report.matchAll(session)].slice(0, MAX_SESSION_REPLIES).map(({ groups = {} }) => {
    const text = `${groups.toSender ? `after ${groups.toSender}: ` : ''}${groups.reply ?? ''}`;
    const named = /<([^<>\s]+@[^<>\s]+)>/.exec(text)?.[1] ?? groups.recipient;
    return { text, about: named?.toLowerCase() ?? null };
  });
}

/** A reply to one of several recipients says nothing about the others. */
function findOwnReply(replies: readonly SessionReply[], address: string): string {
  const own = replies.find(({ about }) => about === address);
  const isShared = replies.every(({ about, text }) => about === null && text === replies[0]?.text);
  return own?.text ?? (isShared ? (replies[0]?.text ?? '') : '');
}

/** Servers write their own explanation before the reply of the remote server. It may say which command was refused. */
function parseServerReply(reason: string): BounceReply {
  const reply = /(?:^|[\s:])(\d{3}(?:[ -]|: )[\s\S]*)$/.exec(reason)?.[1] ?? reason;
  return { ...parseReply(reply), isToSender: IS_TO_SENDER.test(reason) };
}
