import { limits } from '@posthorn/domain/limits';
import { formatCount, hasControlCharacters } from '@posthorn/platform/values';

/** A header that a client may not set. */
type ReservedHeader = {
  /** A name that ends with `*` covers every name with that prefix. */
  readonly name: string;
  /** Completes a sentence that starts with the header's name. */
  readonly fault: string;
  /** The document that defines the header. */
  readonly source: string;
};

const isField = (field: string) => `cannot be set as a header. Use the field ${field}`;
const OURS = 'is set by the service. Remove it';
const TRACE = 'is added by mail servers in transit. Remove it';
const REDIRECTS = 'makes some mail servers send copies or errors to other addresses. Remove it';
const commandTo = (server: string) => `is read as a command by ${server}. Remove it or choose another name`;

/**
 * Every header that a client may not set:
 * - headers that a field of the request sets or that the service writes;
 * - headers in which mail servers record what they did or found in transit, because a forged one would be believed;
 * - headers that a relay obeys. All workspaces share the operator's account at the relay. With such a header, one
 *   workspace could add recipients, skip the account's suppression list, or choose the IP address for its mail.
 *
 * List-Unsubscribe and the other List-* headers (RFC 2369, RFC 8058) are deliberately not listed, because bulk senders
 * need them. The API refuses List-Unsubscribe only in an email for which the service writes it.
 */
export const reservedHeaders: readonly ReservedHeader[] = [
  { name: 'From', fault: isField('from_'), source: 'RFC 5322, 3.6.2' },
  { name: 'To', fault: isField('to'), source: 'RFC 5322, 3.6.3' },
  { name: 'Cc', fault: isField('cc'), source: 'RFC 5322, 3.6.3' },
  { name: 'Bcc', fault: isField('bcc'), source: 'RFC 5322, 3.6.3' },
  { name: 'Reply-To', fault: isField('reply_to'), source: 'RFC 5322, 3.6.2' },
  { name: 'Subject', fault: isField('subject'), source: 'RFC 5322, 3.6.5' },

  { name: 'Sender', fault: OURS, source: 'RFC 5322, 3.6.2' },
  { name: 'Date', fault: OURS, source: 'RFC 5322, 3.6.1' },
  { name: 'Message-ID', fault: OURS, source: 'RFC 5322, 3.6.4' },
  { name: 'MIME-Version', fault: OURS, source: 'RFC 2045, 4' },
  { name: 'Content-*', fault: OURS, source: 'RFC 2045, 3' },
  { name: 'DKIM-Signature', fault: OURS, source: 'RFC 6376, 3.5' },
  // It shows which email a received message belongs to, so a client must not be able to set it to another email's id.
  { name: 'X-Email-ID', fault: OURS, source: 'packages/message/src/build-message.ts' },

  { name: 'Return-Path', fault: TRACE, source: 'RFC 5321, 4.4' },
  { name: 'Received', fault: TRACE, source: 'RFC 5321, 4.4' },
  { name: 'Received-*', fault: TRACE, source: 'RFC 7208, 9.1 (Received-SPF)' },
  { name: 'Authentication-Results', fault: TRACE, source: 'RFC 8601, 5' },
  { name: 'ARC-*', fault: TRACE, source: 'RFC 8617, 4.1' },
  { name: 'DomainKey-Signature', fault: TRACE, source: 'RFC 4870, 3.1' },
  { name: 'Delivered-To', fault: TRACE, source: 'RFC 9228, 3' },
  { name: 'Resent-*', fault: TRACE, source: 'RFC 5322, 3.6.6' },
  { name: 'Apparently-To', fault: REDIRECTS, source: 'RFC 2076, 3.4' },
  { name: 'Errors-To', fault: REDIRECTS, source: 'RFC 2076, 3.5' },

  {
    name: 'X-SMTPAPI',
    fault: commandTo('SendGrid'),
    source: 'https://www.twilio.com/docs/sendgrid/for-developers/sending-email/building-an-x-smtpapi-header',
  },
  {
    name: 'X-MC-*',
    fault: commandTo('Mailchimp Transactional'),
    source: 'https://mandrill.zendesk.com/hc/en-us/articles/360039280433',
  },
  { name: 'X-MSYS-*', fault: commandTo('SparkPost'), source: 'https://developers.sparkpost.com/api/smtp/' },
  {
    name: 'X-Binding',
    fault: commandTo('Momentum'),
    source: 'https://support.sparkpost.com/docs/tech-resources/binding-groups',
  },
  {
    name: 'X-SES-*',
    fault: commandTo('Amazon SES'),
    source: 'https://docs.aws.amazon.com/ses/latest/dg/using-configuration-sets-in-email.html',
  },
  {
    name: 'X-Mailgun-*',
    fault: commandTo('Mailgun'),
    source: 'https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages',
  },
  {
    name: 'X-PM-*',
    fault: commandTo('Postmark'),
    source: 'https://postmarkapp.com/developer/user-guide/send-email-with-smtp',
  },
  { name: 'X-MJ-*', fault: commandTo('Mailjet'), source: 'https://dev.mailjet.com/docs/smtp_relay/custom_headers' },
  {
    name: 'X-Mailjet-*',
    fault: commandTo('Mailjet'),
    source: 'https://dev.mailjet.com/docs/smtp_relay/custom_headers',
  },
  { name: 'X-Mailin-*', fault: commandTo('Brevo'), source: 'https://developers.brevo.com/reference/sendtransacemail' },
  { name: 'X-Sib-*', fault: commandTo('Brevo'), source: 'https://developers.brevo.com/docs/using-sandbox-mode' },
  {
    name: 'Resend-*',
    fault: commandTo('Resend'),
    source: 'https://resend.com/docs/dashboard/emails/idempotency-keys',
  },
  {
    name: 'X-MT-*',
    fault: commandTo('Mailtrap'),
    source: 'https://docs.mailtrap.io/email-api-smtp/advanced/custom-variables',
  },
  { name: 'X-MQ-*', fault: commandTo('MailerQ'), source: 'https://www.mailerq.com/documentation/5.10/mime-headers' },
  { name: 'X-Virtual-MTA', fault: commandTo('PowerMTA'), source: "PowerMTA User's Guide, process-x-virtual-mta" },
  { name: 'X-Job', fault: commandTo('PowerMTA'), source: "PowerMTA User's Guide, process-x-job" },
  { name: 'X-Envid', fault: commandTo('PowerMTA'), source: "PowerMTA User's Guide, process-x-envid" },
];

/**
 * Printable ASCII except the colon (RFC 5322, 3.6.8) and the semicolon. A DKIM signature could not name a header that
 * has a semicolon in its name (RFC 6376, 2.10 and 3.5).
 */
const NAME = /^[\x21-\x39\x3c-\x7e]+$/;

const faults = reservedHeaders.map(({ name, fault }) => ({ name: name.toLowerCase(), fault }));
const faultByName = new Map(faults.map(({ name, fault }) => [name, fault]));
const prefixes = faults
  .filter(({ name }) => name.endsWith('*'))
  .map(({ name, fault }) => [name.slice(0, -1), fault] as const);

/**
 * What is wrong with a custom header, or null if it may be sent. The text completes a sentence that starts with the
 * header's name.
 */
export function findHeaderFault(name: string, value: string): string | null {
  return findNameFault(name) ?? findValueFault(value) ?? findStructureFault(name, value);
}

/**
 * Fields with a syntax of their own, in which nothing but phrases may be encoded (RFC 2047, 5): those of lists (RFC
 * 2369, 2919, 8058), message ids, keywords such as `bulk`, and addresses.
 */
const STRUCTURED =
  /^(?:list-.+|references|in-reply-to|auto-submitted|precedence|importance|(?:x-)?priority|feedback-id|disposition-notification-to|return-receipt-to)$/i;
const BEGINS_WITH_PHRASE = /^(?:list-id|disposition-notification-to|return-receipt-to)$/i;
const PHRASE_AND_REST = /^(?:"([^<>"]*)" *|([^<>"]*))(<[^<>]*>)$/;

/** @returns the phrase of `Phrase <rest>`, which may be encoded, and the rest, which may not; null for a field of text */
export function parseStructured(name: string, value: string): { phrase: string; rest: string } | null {
  if (!STRUCTURED.test(name)) return null;
  const [, quoted, plain = '', rest = value] = (BEGINS_WITH_PHRASE.test(name) && PHRASE_AND_REST.exec(value)) || [];
  return { phrase: (quoted ?? plain).trimEnd(), rest };
}

/** A line has at most 998 characters (RFC 5322, 2.1.1), and the first one begins with the name. */
const MAX_UNBROKEN_CHARACTERS = 900;

function findStructureFault(name: string, value: string): string | null {
  const structured = parseStructured(name, value);
  if (structured === null) return null;
  if (!/^[\x20-\x7e]*$/.test(structured.rest))
    return 'may contain only ASCII characters, except in a name before <. Percent-encode a URL, and write a domain in punycode';
  const longest = Math.max(...structured.rest.split(' ').map(({ length }) => length));
  if (longest <= MAX_UNBROKEN_CHARACTERS) return null;
  return `has ${formatCount(longest)} characters without a space; the limit is ${MAX_UNBROKEN_CHARACTERS}. Add a space or shorten it`;
}

function findNameFault(name: string): string | null {
  const { max } = limits.headerName;
  if (name.length > max) return `has a name of ${formatCount(name.length)} characters; the limit is ${max}`;
  if (!NAME.test(name)) return 'must have a name of printable ASCII characters, without spaces, colons or semicolons';
  return findReservedFault(name.toLowerCase());
}

function findReservedFault(name: string): string | null {
  return faultByName.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

function findValueFault(value: string): string | null {
  const { max } = limits.headerValue;
  if (value.length > max) return `has ${formatCount(value.length)} characters; the limit is ${formatCount(max)}`;
  if (hasControlCharacters(value) || !value.isWellFormed()) return 'must not contain line breaks or control characters';
  return null;
}
