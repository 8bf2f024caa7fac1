import type { SuppressionReason } from '@posthorn/contract';

/** A suppression list that another service has exported. Names are in lower case, without spaces and underscores. */
export type ForeignList = {
  readonly service: string;
  /** The header line has at least these names. */
  readonly names: readonly string[];
  /** The name of the column with the address. */
  readonly address: string;
  /** @returns null for a reason that the service does not have */
  readonly toReason: (read: (name: string) => string) => SuppressionReason | null;
};

function always(reason: SuppressionReason): () => SuppressionReason {
  return () => reason;
}

function byWord(name: string, reasons: Readonly<Record<string, SuppressionReason>>): ForeignList['toReason'] {
  return (read) =>
    reasons[
      read(name)
        .toLowerCase()
        .replace(/[^a-z]/g, '')
    ] ?? null;
}

/** The first list whose names are all in the header line. Lists with more names come first. */
const foreignLists: readonly ForeignList[] = [
  {
    service: 'Postmark',
    names: ['emailaddress', 'suppressionreason', 'origin'],
    address: 'emailaddress',
    toReason: (read) =>
      read('suppressionreason') === 'ManualSuppression' && read('origin') === 'Recipient'
        ? 'unsubscribe'
        : byWord('suppressionreason', {
            hardbounce: 'hard_bounce',
            spamcomplaint: 'complaint',
            manualsuppression: 'manual',
          })(read),
  },
  {
    service: 'Amazon SES',
    names: ['emailaddress', 'reason', 'lastupdatetime'],
    address: 'emailaddress',
    toReason: byWord('reason', { bounce: 'hard_bounce', complaint: 'complaint' }),
  },
  {
    service: 'SparkPost',
    names: ['recipient', 'type', 'source'],
    address: 'recipient',
    toReason: byWord('source', {
      bouncerule: 'hard_bounce',
      spamcomplaint: 'complaint',
      listunsubscribe: 'unsubscribe',
      unsubscribelink: 'unsubscribe',
      manuallyadded: 'manual',
      compliance: 'manual',
    }),
  },
  {
    service: 'Mailchimp Transactional',
    names: ['email', 'reason', 'detail'],
    address: 'email',
    toReason: byWord('reason', {
      hardbounce: 'hard_bounce',
      softbounce: 'hard_bounce',
      spam: 'complaint',
      unsub: 'unsubscribe',
      custom: 'manual',
      invalidsender: 'manual',
      invalid: 'hard_bounce',
      testmodelimit: 'manual',
      rule: 'manual',
    }),
  },
  {
    service: 'Mailchimp',
    names: ['emailaddress', 'unsubtime'],
    address: 'emailaddress',
    toReason: always('unsubscribe'),
  },
  {
    service: 'Mailchimp',
    names: ['emailaddress', 'cleantime'],
    address: 'emailaddress',
    toReason: always('hard_bounce'),
  },
  { service: 'SendGrid', names: ['email', 'created', 'reason'], address: 'email', toReason: always('hard_bounce') },
  { service: 'SendGrid', names: ['email', 'ip', 'created'], address: 'email', toReason: always('complaint') },
  { service: 'SendGrid', names: ['email', 'created'], address: 'email', toReason: always('unsubscribe') },
  { service: 'Mailgun', names: ['address', 'code', 'error'], address: 'address', toReason: always('hard_bounce') },
  { service: 'Mailgun', names: ['address', 'tags', 'createdat'], address: 'address', toReason: always('unsubscribe') },
];

/** The list of complaints has no column of its own, so nothing else may be in it. */
const MAILGUN_COMPLAINTS: ForeignList = {
  service: 'Mailgun',
  names: ['address', 'createdat'],
  address: 'address',
  toReason: always('complaint'),
};

/** @param names those of the header line, as they are written there */
export function findForeignList(names: readonly string[]): ForeignList | null {
  const plain = names.map(toPlainName);
  if (plain.join() === MAILGUN_COMPLAINTS.names.join()) return MAILGUN_COMPLAINTS;
  return foreignLists.find((list) => list.names.every((name) => plain.includes(name))) ?? null;
}

export function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[\s_]/g, '');
}
