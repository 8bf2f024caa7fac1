import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';

export type NamedAddress = { readonly name: string; readonly address: string };

export type AttachedFile = {
  readonly name: string;
  readonly type: string;
  /** Without angle brackets; empty if the part has no Content-ID. */
  readonly contentId: string;
  readonly content: Buffer;
};

export type ParsedMessage = {
  readonly messageId: string;
  readonly subject: string;
  readonly from: NamedAddress | null;
  readonly to: readonly NamedAddress[];
  readonly cc: readonly NamedAddress[];
  /** Includes the envelope recipients that are in neither To nor Cc. */
  readonly bcc: readonly NamedAddress[];
  readonly replyTo: readonly NamedAddress[];
  readonly date: Date | null;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly AttachedFile[];
};

const unreadable: ParsedMessage = {
  messageId: '',
  subject: '(unreadable message)',
  from: null,
  to: [],
  cc: [],
  bcc: [],
  replyTo: [],
  date: null,
  text: '',
  html: '',
  attachments: [],
};

/**
 * Accepts any input. If a message cannot be parsed, for example because its parts are nested too
 * deeply, its text is the raw source.
 * @param recipients the envelope recipients
 */
export async function parseMessage(raw: Buffer, recipients: readonly string[]): Promise<ParsedMessage> {
  const message = await PostalMime.parse(raw).then(toMessage, () => ({ ...unreadable, text: raw.toString() }));
  return { ...message, bcc: [...message.bcc, ...hiddenRecipients(recipients, message)] };
}

function hiddenRecipients(recipients: readonly string[], { to, cc, bcc }: ParsedMessage): NamedAddress[] {
  const named = new Set([...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase()));
  const others = recipients.filter((address) => !named.has(address.toLowerCase()));
  return others.map((address) => ({ name: '', address }));
}

function toMessage(email: Email): ParsedMessage {
  return {
    messageId: email.messageId?.replace(/^<|>$/g, '') ?? '',
    subject: email.subject ?? '',
    from: email.from ? (toAddresses([email.from])[0] ?? null) : null,
    to: toAddresses(email.to),
    cc: toAddresses(email.cc),
    bcc: toAddresses(email.bcc),
    replyTo: toAddresses(email.replyTo),
    date: toDate(email.date),
    text: email.text ?? '',
    html: email.html ?? '',
    attachments: email.attachments.map(toFile),
  };
}

/** Replaces each address group with its members. */
function toAddresses(addresses: readonly Address[] = []): NamedAddress[] {
  const mailboxes = addresses.flatMap((address) => address.group ?? [address]);
  return mailboxes.map(({ name, address }) => ({ name, address: address ?? '' }));
}

function toDate(text: string | undefined): Date | null {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

function toFile({ filename, mimeType, contentId: id, content }: Attachment): AttachedFile {
  const contentId = id?.replace(/^<|>$/g, '') ?? '';
  return {
    name: filename || contentId || 'unnamed',
    type: mimeType,
    contentId,
    content: typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
  };
}
