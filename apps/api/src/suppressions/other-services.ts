import type { SuppressionReason } from '@posthorn/contract';
import { canSuppress } from '@posthorn/domain/suppressions';
import { classifyBounce, parseReply } from '@posthorn/feedback';
import { normalizeName } from '../validation/validation-messages.js';

/** @returns the cell in the column with this name; empty if the row has none */
export type ReadCell = (column: string) => string;

/** How another service exports a suppression list. Names of columns are as `normalizeName` returns them. */
export type ExportFormat = {
  readonly service: string;
  /** The header has at least these columns. The first is the one with the address. */
  readonly columns: readonly string[];
  /** @returns null for a reason that the service does not have */
  readonly toReason: (read: ReadCell) => SuppressionReason | null;
  /** @returns whether the service lists the address without a reason to suppress it */
  readonly skips?: (read: ReadCell) => boolean;
  /** The column with the reason, and the words that are in it; null if all rows have the same reason. */
  readonly given: { readonly column: string; readonly words: readonly string[] } | null;
};

type Reasons = Pick<ExportFormat, 'toReason' | 'skips' | 'given'>;

function always(reason: SuppressionReason): Reasons {
  return { toReason: () => reason, given: null };
}

/** The columns with what the mail server of the recipient said. */
type ReplyColumns = { readonly text: string; readonly code?: string };

/** Skips bounces that are not about the mailbox, because services also list addresses that their own IPs bounced at. */
function skipOtherBounces(reasons: Reasons, { text, code }: ReplyColumns): Reasons {
  return {
    ...reasons,
    skips: (read) => reasons.toReason(read) === 'hard_bounce' && !isAboutMailbox(read(text), code ? read(code) : ''),
  };
}

/** The text begins with this if it has been copied from a Diagnostic-Code field (RFC 3464, 2.3.6). */
const DIAGNOSTIC_TYPE = /^\s*(?:x-)?smtp\s*;\s*/i;

/** Codes about the mail system, the message and security. They decide only if the text says nothing. */
const OTHER_CODES = /^5\.[367]\./;

/** @returns whether the recipient was refused for good, for a reason that would suppress one of our own, or for none */
function isAboutMailbox(text: string, codes: string): boolean {
  if (/^4/.test(codes)) return false;
  const status = parseReply(codes);
  const said = text.replace(DIAGNOSTIC_TYPE, '');
  const reply = parseReply(status.code === null || /^[245]\d\d\b/.test(said) ? said : `${status.code} ${said}`);
  const enhanced = reply.enhanced ?? status.enhanced;
  const bounceClass = classifyBounce({ ...reply, enhanced });
  return bounceClass === 'unknown' ? !OTHER_CODES.test(enhanced ?? '') : canSuppress(bounceClass);
}

/** @param reasons by the words of the service. Case, spaces and punctuation make no difference */
function byWord(column: string, reasons: Readonly<Record<string, SuppressionReason>>): Reasons {
  const known = new Map(Object.entries(reasons).map(([word, reason]) => [normalizeName(word), reason]));
  return {
    toReason: (read) => known.get(normalizeName(read(column))) ?? null,
    given: { column, words: Object.keys(reasons) },
  };
}

/** Lists without a source only say which mail is stopped, either in a column for each type of mail or in one column. */
const sparkPostTypes: readonly ExportFormat[] = [
  ['recipient', 'transactional', 'nontransactional'],
  ['email', 'transactional', 'nontransactional'],
  ['recipient', 'type'],
].map((columns) => ({
  service: 'SparkPost',
  columns,
  toReason: (read) => (stopsMail(read, 'transactional') ? 'manual' : 'unsubscribe'),
  skips: (read) => !stopsMail(read, 'transactional') && !stopsMail(read, 'nontransactional'),
  given: null,
}));

function stopsMail(read: ReadCell, type: 'transactional' | 'nontransactional'): boolean {
  return /^(?:true|t|yes|y|1)$/i.test(read(type)) || normalizeName(read('type')) === type;
}

const postmark = byWord('suppressionreason', {
  HardBounce: 'hard_bounce',
  SpamComplaint: 'complaint',
  ManualSuppression: 'manual',
});

/** The first format whose columns are all in the header. Those with more columns come first. */
const exportFormats: readonly ExportFormat[] = [
  {
    service: 'Postmark',
    columns: ['emailaddress', 'suppressionreason', 'origin'],
    ...postmark,
    toReason(read) {
      const reason = postmark.toReason(read);
      return reason === 'manual' && read('origin') === 'Recipient' ? 'unsubscribe' : reason;
    },
  },
  {
    service: 'Amazon SES',
    columns: ['emailaddress', 'reason', 'lastupdatetime'],
    ...byWord('reason', { BOUNCE: 'hard_bounce', COMPLAINT: 'complaint' }),
  },
  {
    service: 'SparkPost',
    columns: ['recipient', 'type', 'source'],
    ...skipOtherBounces(
      byWord('source', {
        'Bounce Rule': 'hard_bounce',
        'Spam Complaint': 'complaint',
        'List Unsubscribe': 'unsubscribe',
        'Unsubscribe Link': 'unsubscribe',
        'Manually Added': 'manual',
        Compliance: 'manual',
      }),
      { text: 'description' },
    ),
  },
  ...sparkPostTypes,
  {
    service: 'Mailchimp Transactional',
    columns: ['email', 'reason', 'detail'],
    ...skipOtherBounces(
      byWord('reason', {
        'hard-bounce': 'hard_bounce',
        'soft-bounce': 'hard_bounce',
        spam: 'complaint',
        unsub: 'unsubscribe',
        custom: 'manual',
        'invalid-sender': 'manual',
        invalid: 'hard_bounce',
        'test-mode-limit': 'manual',
        rule: 'manual',
      }),
      { text: 'detail' },
    ),
  },
  { service: 'Mailchimp', columns: ['emailaddress', 'unsubtime'], ...always('unsubscribe') },
  { service: 'Mailchimp', columns: ['emailaddress', 'cleantime'], ...always('hard_bounce') },
  // Its list of blocks, which are about the message or the moment, has the same header as that of bounces.
  {
    service: 'SendGrid',
    columns: ['email', 'created', 'reason'],
    ...skipOtherBounces(always('hard_bounce'), { text: 'reason', code: 'status' }),
  },
  { service: 'SendGrid', columns: ['email', 'ip', 'created'], ...always('complaint') },
  { service: 'SendGrid', columns: ['email', 'created'], ...always('unsubscribe') },
  {
    service: 'Mailgun',
    columns: ['address', 'code', 'error'],
    ...skipOtherBounces(always('hard_bounce'), { text: 'error', code: 'code' }),
  },
  { service: 'Mailgun', columns: ['address', 'tags', 'createdat'], ...always('unsubscribe') },
];

/** A list in our own format can have the same header, but its times are in ISO 8601, as in 2026-10-21. */
const MAILGUN_COMPLAINTS: ExportFormat = {
  service: 'Mailgun',
  columns: ['address', 'createdat'],
  toReason: (read) => (/^\d{4}-/.test(read('createdat')) ? 'manual' : 'complaint'),
  given: null,
};

/** @param names those of the header, as they are written there */
export function findExportFormat(names: readonly string[]): ExportFormat | null {
  const plain = names.map(normalizeName);
  if (plain.join() === MAILGUN_COMPLAINTS.columns.join()) return MAILGUN_COMPLAINTS;
  return exportFormats.find(({ columns }) => columns.every((name) => plain.includes(name))) ?? null;
}
