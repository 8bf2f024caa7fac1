import type { ParsedMessage } from './parse-message.js';

const SNIPPET_LENGTH = 200;
/** Enough for a snippet; a message may have megabytes of HTML. */
const HTML_LOOKED_AT = 20_000;

/** What the list shows of a message. */
export type Summary = Pick<ParsedMessage, 'messageId' | 'subject' | 'from' | 'to' | 'cc' | 'bcc' | 'replyTo'> & {
  readonly attachmentCount: number;
  /** Its first words, on one line. */
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
    snippet: firstWords(parsed.text || words(parsed.html)),
  };
}

function firstWords(text: string): string {
  return text.slice(0, HTML_LOOKED_AT).replace(/\s+/g, ' ').trim().slice(0, SNIPPET_LENGTH);
}

/** For reading only: what is made of hostile HTML here is escaped again where it is shown. */
function words(html: string): string {
  return html
    .slice(0, HTML_LOOKED_AT)
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
