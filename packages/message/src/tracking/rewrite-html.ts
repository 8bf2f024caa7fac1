import { limits } from '@posthorn/domain/limits';
import { parseUrl } from '@posthorn/platform/network';
import { findPlaces } from './find-places.js';

export type Rewriting = {
  /** The URL of the image that reports opens; null for none. */
  readonly imageUrl: string | null;
  /** The URL that replaces the one of a link; null if links stay as they are. */
  readonly replaceUrl: ((url: string) => string) | null;
  /** Links to URLs that begin with this stay as they are. */
  readonly ownUrl: string;
};

/**
 * Adds the image, and replaces the URLs of links. Everything else stays as it is, character for character. The new
 * URLs must consist of characters that need no entities and no quotes.
 * @throws Error if there are too many links
 */
export function rewriteHtml(html: string, { imageUrl, replaceUrl, ownUrl }: Rewriting): string {
  const { links, endOfBody } = findPlaces(html);
  const edits: Array<{ start: number; end: number; text: string }> = [];
  if (replaceUrl) {
    for (const { start, end, value } of links) {
      const url = trackableUrl(value, ownUrl);
      if (url !== null) edits.push({ start, end, text: replaceUrl(url) });
    }
    if (edits.length > limits.trackedLinks.max) throw new Error('There are too many links');
  }
  if (imageUrl !== null) edits.push({ start: endOfBody, end: endOfBody, text: imageTag(imageUrl) });
  return apply(html, edits);
}

/** The URL as a browser would request it, or null if clicks on it are not recorded. */
function trackableUrl(value: string, ownUrl: string): string | null {
  if (!/^\s*https?:/i.test(value)) return null;
  const url = parseUrl(value)?.href;
  if (url === undefined || url.length > limits.trackedUrlCharacters.max || url.startsWith(ownUrl)) return null;
  return url;
}

/** Not hidden, because mail clients do not load hidden images. The empty `alt` keeps screen readers silent. */
function imageTag(url: string): string {
  return `<img src="${url}" width="1" height="1" alt="" style="border:0">`;
}

function apply(html: string, edits: ReadonlyArray<{ start: number; end: number; text: string }>): string {
  let rewritten = '';
  let done = 0;
  for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
    rewritten += html.slice(done, start) + text;
    done = end;
  }
  return rewritten + html.slice(done);
}
