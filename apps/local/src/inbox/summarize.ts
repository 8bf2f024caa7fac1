import type { ParsedMessage } from './parse-message.js';

const MAX_SNIPPET_CHARACTERS = 200;
/** Limits the work, because a message may have megabytes of HTML. This much is enough for a snippet. */
const MAX_SNIPPET_SOURCE_CHARACTERS = 20_000;

/** What the message list shows. */
export type Summary = Pick<ParsedMessage, 'messageId' | 'subject' | 'from' | 'to' | 'cc' | 'bcc' | 'replyTo'> & {
  readonly attachmentCount: number;
  /** The start of the text, on one line. */
  readonly snippet: string;
};

export function summarize(parsed: ParsedMessage): Summary {
  const { messageId, subject, from, to, cc, bcc, replyTo, attachments } = parsed;
  return {
    messageId,
    subject,
    from,
    to,
    cc,
    bcc,
    replyTo,
    attachmentCount: attachments.length,
    snippet: toSnippet(parsed.text || stripMarkup(parsed.html)),
  };
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
