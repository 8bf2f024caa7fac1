import type { LoadedMessage } from './load-message.js';
import type { StoredMessage } from './mailbox.js';
import type { AttachedFile, NamedAddress, ParsedMessage } from './parse-message.js';
import type { Summary } from './summarize.js';

type Addresses = Pick<ParsedMessage, 'from' | 'to' | 'cc' | 'bcc' | 'replyTo'>;

/** A message in the format of Mailpit's list. */
export function viewSummary(message: StoredMessage, summary: Summary) {
  return {
    ID: message.id,
    MessageID: summary.messageId,
    Read: message.isRead,
    ...viewAddresses(message, summary),
    Subject: summary.subject,
    Created: message.receivedAt.toISOString(),
    Size: message.size,
    Attachments: summary.attachmentCount,
    Snippet: summary.snippet,
  };
}

/** A message in Mailpit's format. `Date` is the time of arrival if the message has no Date header. */
export function viewMessage({ message, parsed }: LoadedMessage) {
  return {
    ID: message.id,
    MessageID: parsed.messageId,
    ReturnPath: message.from,
    ...viewAddresses(message, parsed),
    Subject: parsed.subject,
    Date: (parsed.date ?? message.receivedAt).toISOString(),
    Text: parsed.text,
    HTML: parsed.html,
    Size: message.size,
    Attachments: parsed.attachments.map(viewAttachment),
  };
}

function viewAddresses(message: StoredMessage, { from, to, cc, bcc, replyTo }: Addresses) {
  return {
    From: viewAddress(from ?? { name: '', address: message.from }),
    To: to.map(viewAddress),
    Cc: cc.map(viewAddress),
    Bcc: bcc.map(viewAddress),
    ReplyTo: replyTo.map(viewAddress),
  };
}

function viewAddress({ name, address }: NamedAddress) {
  return { Name: name, Address: address };
}

function viewAttachment({ name, type, contentId, content }: AttachedFile, index: number) {
  return {
    PartID: String(index),
    FileName: name,
    ContentType: type,
    ContentID: contentId,
    Size: content.length,
  };
}
