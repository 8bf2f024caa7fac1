import { type BounceReply, classifyBounce, parseReply } from './classify-bounce.js';
import { type DeliveryAction, deliveryActions, type ReportedRecipient } from './report.js';
import { type Fields, MAX_RECIPIENTS, parseFieldBlocks, parseTypedAddress } from './report-fields.js';

/**
 * Reads a message/delivery-status part (RFC 3464). Its first block is about the message, and each other one about a
 * recipient. Some servers leave out the first block or the address, so a block is recognized by its fields. Only the
 * first 200 recipients are read.
 */
export function parseDeliveryStatus(text: string): ReportedRecipient[] {
  const blocks = text.replace(/\r\n?/g, '\n').split(BLANK_LINE).map(separateRecipients);
  return parseFieldBlocks(blocks.join('\n\n')).filter(isAboutRecipient).slice(0, MAX_RECIPIENTS).map(toRecipient);
}

/**
 * Some servers leave out the blank lines between recipients. Then the block of a recipient begins wherever the first
 * field of the text or the address is repeated, and at an Original-Recipient before another Final-Recipient.
 */
function separateRecipients(block: string): string {
  let first: string | null = null;
  let seen = new Set<string>();
  return block.replace(RECIPIENT_FIELD, (line, field: string, next?: string) => {
    const name = field.toLowerCase();
    first ??= name;
    const isAddress = name.endsWith('-recipient');
    const isNew =
      (seen.has(name) && (isAddress || name === first)) ||
      // A block may have left out the first field.
      (name === first && seen.size > 1) ||
      (isAddress && next !== undefined && seen.has('final-recipient'));
    seen = isNew ? new Set([name]) : seen.add(name);
    return isNew ? `\n${line}` : line;
  });
}

const BLANK_LINE = /\n[ \t]*\n/;
const RECIPIENT_FIELD =
  /^(final-recipient|original-recipient|action|status)[ \t]*:(?:.*\n(?=(final-recipient)[ \t]*:))?/gim;

const RECIPIENT_FIELDS = ['final-recipient', 'original-recipient', 'action', 'status'];

function isAboutRecipient(fields: Fields): boolean {
  return RECIPIENT_FIELDS.some((name) => fields.get(name) !== null);
}

function toRecipient(fields: Fields): ReportedRecipient {
  const reply = toReply(fields);
  const action = toAction(fields.get('action'), reply);
  return {
    address: parseTypedAddress(fields.get('final-recipient')),
    originalAddress: parseTypedAddress(fields.get('original-recipient')),
    action,
    reply,
    class: action === 'failed' ? classifyBounce(reply) : null,
  };
}

/** Some servers write `failure`, `delay` and the like. */
const ACTION_STEMS: Readonly<Record<DeliveryAction, string>> = {
  failed: 'fail',
  delayed: 'delay',
  delivered: 'deliver',
  relayed: 'relay',
  expanded: 'expand',
};

/** The action is required (RFC 3464, 2.3.3), but some servers leave it out. */
function toAction(value: string | null, { enhanced }: BounceReply): DeliveryAction {
  const name = value?.trim().toLowerCase() ?? '';
  const known = deliveryActions.find((action) => name.startsWith(ACTION_STEMS[action]));
  if (known) return known;
  if (enhanced?.startsWith('2')) return 'delivered';
  return enhanced?.startsWith('4') ? 'delayed' : 'failed';
}

const STATUS = /[245]\.\d{1,3}\.\d{1,3}/;
/** `5.0.0` only says that it failed, and servers write it when they know no better code. */
const VAGUE = /^[245]\.0\.0$/;

/**
 * The server's reply. It is in Diagnostic-Code or, from Exchange 2003, in X-Supplementary-Info.
 */
function toReply(fields: Fields): BounceReply {
  const words = fields.get('diagnostic-code') || (fields.get('x-supplementary-info') ?? '');
  return parseDiagnostic(words, fields.get('status'));
}

/**
 * Reads `smtp; 550 5.1.1 User unknown` and the status that is reported beside it. The status may be a guess of the
 * reporting server: sendmail makes 5.1.1 of any 550. So it counts only if the reply has no code that says more. Words of
 * the reporting server, as in `x-postfix; connection timed out`, are no reply.
 */
export function parseDiagnostic(words: string, reportedStatus: string | null): BounceReply {
  const diagnostic = words.replace(/^\s*(?:smtp|lmtp|x-[\w.-]+|[\w-]+)\s*;\s*/i, '');
  const said = parseReply(diagnostic);
  const status = STATUS.exec(reportedStatus ?? '')?.[0] ?? null;
  if (said.enhanced !== null && !VAGUE.test(said.enhanced)) return said;
  const isReply = said.code !== null || /^\s*[sl]mtp\s*;(?!\s*x-)/i.test(words);
  return { ...said, enhanced: status ?? said.enhanced, isEnhancedGuessed: isReply };
}
