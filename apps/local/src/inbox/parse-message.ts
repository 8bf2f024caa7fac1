import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';

// The names are those of Mailpit's API.

type NamedAddress = { readonly Name: string; readonly Address: string };

export type ParsedMessage = {
  readonly MessageID: string;
  readonly From: NamedAddress;
  readonly To: readonly NamedAddress[];
  readonly Cc: readonly NamedAddress[];
  /** Includes the envelope recipients that are in neither To nor Cc. */
  readonly Bcc: readonly NamedAddress[];
  readonly ReplyTo: readonly NamedAddress[];
  readonly Subject: string;
  /** The time of arrival if the message has no Date header. */
  readonly Date: string;
  readonly Text: string;
  readonly HTML: string;
  readonly Attachments: ReadonlyArray<ReturnType<typeof toFile>>;
};

type Envelope = { readonly from: string; readonly to: readonly string[]; readonly receivedAt: Date };

/**
 * Accepts any input. If a message cannot be parsed, for example because its parts are nested too deeply, its text is
 * the raw source.
 */
export async function parseMessage(
  raw: Buffer,
  { from, to: recipients, receivedAt }: Envelope,
): Promise<ParsedMessage> {
  const email: Partial<Email> = await PostalMime.parse(raw).catch(() => ({
    subject: '(unreadable message)',
    text: raw.toString(),
  }));
  const date = new Date(email.date ?? Number.NaN);
  const lists = { To: toAddresses(email.to), Cc: toAddresses(email.cc), Bcc: toAddresses(email.bcc) };
  const named = new Set(Object.values(lists).flatMap((list) => list.map((each) => each.Address.toLowerCase())));
  const hidden = recipients.filter((address) => !named.has(address.toLowerCase()));
  return {
    MessageID: removeBrackets(email.messageId),
    From: toAddresses(email.from && [email.from])[0] ?? { Name: '', Address: from },
    ...lists,
    Bcc: [...lists.Bcc, ...hidden.map((address) => ({ Name: '', Address: address }))],
    ReplyTo: toAddresses(email.replyTo),
    Subject: email.subject ?? '',
    Date: (Number.isNaN(date.getTime()) ? receivedAt : date).toISOString(),
    Text: email.text ?? '',
    HTML: email.html ?? '',
    Attachments: (email.attachments ?? []).map(toFile),
  };
}

/** Replaces each address group with its members. */
function toAddresses(addresses: readonly Address[] = []): NamedAddress[] {
  const mailboxes = addresses.flatMap((address) => address.group ?? [address]);
  return mailboxes.map(({ name, address }) => ({ Name: name, Address: address ?? '' }));
}

function toFile({ filename, mimeType, contentId, content }: Attachment, index: number) {
  const id = removeBrackets(contentId);
  return {
    PartID: String(index),
    FileName: filename || id || 'unnamed',
    ContentType: mimeType,
    ContentID: id,
    Size: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
  };
}

function removeBrackets(id = ''): string {
  return id.replace(/^<|>$/g, '');
}

const MAX_SNIPPET_CHARACTERS = 200;
/** Limits the work, because a message may have megabytes of HTML. This much is enough for a snippet. */
const MAX_SNIPPET_SOURCE_CHARACTERS = 20_000;

export function summarize(message: ParsedMessage) {
  const { MessageID, From, To, Cc, Bcc, ReplyTo, Subject, Text, HTML, Attachments } = message;
  const Snippet = toSnippet(Text || stripMarkup(HTML));
  return { MessageID, From, To, Cc, Bcc, ReplyTo, Subject, Attachments: Attachments.length, Snippet };
}

function toSnippet(text: string): string {
  return text.slice(0, MAX_SNIPPET_SOURCE_CHARACTERS).replace(/\s+/g, ' ').trim().slice(0, MAX_SNIPPET_CHARACTERS);
}

/** Not a sanitizer: the result is escaped when it is shown. */
function stripMarkup(html: string): string {
  return html
    .slice(0, MAX_SNIPPET_SOURCE_CHARACTERS)
    .replace(/<(style|script|title)\b.*?(<\/\1\s*>|$)/gis, ' ')
    .replace(/<!--.*?(-->|$)/gs, ' ')
    .replace(/<[^>]*(>|$)/g, ' ')
    .replace(/&(nbsp|lt|gt|quot|#39|amp);/g, (entity) => characters[entity] ?? entity);
}

const characters: Readonly<Record<string, string>> = {
  '&nbsp;': ' ',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
