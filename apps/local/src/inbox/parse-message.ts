import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';

export type Person = { readonly name: string; readonly address: string };

export type AttachedFile = {
  readonly name: string;
  readonly type: string;
  /** Without its angle brackets; empty if the part has none. */
  readonly contentId: string;
  readonly content: Buffer;
};

export type ParsedMessage = {
  readonly messageId: string;
  readonly subject: string;
  readonly from: Person | null;
  readonly to: readonly Person[];
  readonly cc: readonly Person[];
  /** Those of the envelope whom neither To nor Cc names, too. */
  readonly bcc: readonly Person[];
  readonly replyTo: readonly Person[];
  readonly date: Date | null;
  readonly text: string;
  readonly html: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
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
  headers: [],
  attachments: [],
};

/**
 * Takes whatever was sent: what cannot be parsed, such as parts nested without end, is shown as its source.
 * @param recipients of the envelope
 */
export async function parseMessage(raw: Buffer, recipients: readonly string[]): Promise<ParsedMessage> {
  const message = await PostalMime.parse(raw).then(toMessage, () => ({ ...unreadable, text: raw.toString() }));
  return { ...message, bcc: [...message.bcc, ...unnamed(recipients, message)] };
}

function unnamed(recipients: readonly string[], { to, cc, bcc }: ParsedMessage): Person[] {
  const named = new Set([...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase()));
  const others = recipients.filter((address) => !named.has(address.toLowerCase()));
  return others.map((address) => ({ name: '', address }));
}

function toMessage(email: Email): ParsedMessage {
  return {
    messageId: email.messageId?.replace(/^<|>$/g, '') ?? '',
    subject: email.subject ?? '',
    from: email.from ? (people([email.from])[0] ?? null) : null,
    to: people(email.to),
    cc: people(email.cc),
    bcc: people(email.bcc),
    replyTo: people(email.replyTo),
    date: toDate(email.date),
    text: email.text ?? '',
    html: email.html ?? '',
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    attachments: email.attachments.map(toFile),
  };
}

/** The members of a group stand for it. */
function people(addresses: readonly Address[] = []): Person[] {
  const mailboxes = addresses.flatMap((entry) => entry.group ?? [entry]);
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
