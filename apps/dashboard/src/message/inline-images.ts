import { toBase64 } from './message-files';
import type { MessageFile } from './queries';

/** A style attribute may have `&quot;` around the URL. */
const CID_URL = /\bcid:((?:(?!&quot;)[^\s"'<>)])+)/gi;
/** Where a browser loads a `cid:` URL: in an attribute or a style. */
const LOADED_CID_URL =
  /((?:\b(?:src|srcset|background|poster)\s*=|\burl\()\s*(?:["']|&quot;)?\s*)cid:(?:(?!&quot;)[^\s"'<>)])*/gi;
const NO_IMAGE = 'data:,';

export function hasInlineImages(html: string): boolean {
  return html.search(CID_URL) !== -1;
}

/**
 * The HTML of a message with its own images (`cid:`, RFC 2392) as data URLs. An image that the message does not contain
 * is replaced by an empty one, because the browser would otherwise report its URL as an error. It changes nothing else:
 * the policy of the frame makes the HTML safe to show.
 */
export function embedImages(html: string, files: readonly MessageFile[]): string {
  const images = files.filter(({ contentId, type }) => contentId !== null && /^image\/[a-z0-9.+-]+$/.test(type));
  const urls = new Map(images.map((file) => [file.contentId, toDataUrl(file)]));
  return html
    .replace(CID_URL, (url, id: string) => urls.get(decodeId(id)) ?? url)
    .replace(LOADED_CID_URL, (_, before: string) => before + NO_IMAGE);
}

function toDataUrl({ type, content }: MessageFile): string {
  return `data:${type};base64,${toBase64(content)}`;
}

function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
