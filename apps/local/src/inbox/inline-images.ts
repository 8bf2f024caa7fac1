import type { ParsedMessage } from './parse-message.js';

/**
 * The HTML of a message with its embedded images (`cid:`, RFC 2392) as data URLs. Nothing else is
 * changed or removed: the Content-Security-Policy of the response makes the HTML safe to show.
 */
export function inlineImages({ html, attachments }: ParsedMessage): string {
  const images = attachments.filter(({ contentId, type }) => contentId && /^image\/[a-z0-9.+-]+$/.test(type));
  const sources = new Map(
    images.map(({ contentId, type, content }) => [contentId, `data:${type};base64,${content.toString('base64')}`]),
  );
  return html.replace(/\bcid:([^\s"'<>)]+)/gi, (reference, id: string) => sources.get(decodeId(id)) ?? reference);
}

function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
