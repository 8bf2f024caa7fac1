import type { ParsedMessage } from './parse-message.js';

/**
 * The HTML of a message as its frame shows it: unchanged, but with the images it carries inside
 * (`cid:`, RFC 2392) put where it names them. Its own policy keeps it from doing harm.
 */
export function mailDocument({ html, attachments }: ParsedMessage): string {
  const images = attachments.filter(({ contentId, type }) => contentId && /^image\/[a-z0-9.+-]+$/.test(type));
  const sources = new Map(
    images.map(({ contentId, type, content }) => [contentId, `data:${type};base64,${content.toString('base64')}`]),
  );
  return html.replace(/\bcid:([^\s"'<>)]+)/gi, (reference, id: string) => sources.get(decoded(id)) ?? reference);
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
