import type { KeptMessage } from './mailbox.js';
import type { AttachedFile, ParsedMessage, Person } from './parse-message.js';
import type { ReadMessage } from './read-message.js';
import type { Summary } from './summarize.js';

type People = Pick<ParsedMessage, 'from' | 'to' | 'cc' | 'bcc' | 'replyTo'>;

/** A line of Mailpit's list. */
export function viewSummary(message: KeptMessage, summary: Summary) {
  return {
    ID: message.id,
    MessageID: summary.messageId,
    Read: message.isRead,
    ...viewPeople(message, summary),
    Subject: summary.subject,
    Created: message.receivedAt.toISOString(),
    Size: message.size,
    Attachments: summary.attachmentCount,
    Snippet: summary.snippet,
  };
}

/** Mailpit's message; `Date` is the time of arrival where the message bears none. */
export function viewMessage({ message, parsed }: ReadMessage) {
  return {
    ID: message.id,
    MessageID: parsed.messageId,
    ...viewPeople(message, parsed),
    Subject: parsed.subject,
    Date: (parsed.date ?? message.receivedAt).toISOString(),
    Text: parsed.text,
    HTML: parsed.html,
    Size: message.size,
    Attachments: parsed.attachments.map(viewAttachment),
  };
}

function viewPeople(message: KeptMessage, { from, to, cc, bcc, replyTo }: People) {
  return {
    From: viewPerson(from ?? { name: '', address: message.from }),
    To: to.map(viewPerson),
    Cc: cc.map(viewPerson),
    Bcc: bcc.map(viewPerson),
    ReplyTo: replyTo.map(viewPerson),
  };
}

function viewPerson({ name, address }: Person) {
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
