import type { MessageFile } from './parse-message';

const CID_URL = /\bcid:([^\s"'<>)]+)/gi;

/** Whether the HTML shows files of its own message. */
export function hasInlineImages(html: string): boolean {
  return html.search(CID_URL) !== -1;
}

/**
 * The HTML of a message with its own images (`cid:`, RFC 2392) as data URLs. It changes nothing else: the policy of the
 * frame makes the HTML safe to show.
 */
export function inlineImages(html: string, files: readonly MessageFile[]): string {
  const images = files.filter(({ contentId, type }) => contentId !== null && /^image\/[a-z0-9.+-]+$/.test(type));
  const urls = new Map(images.map((file) => [file.contentId, toDataUrl(file)]));
  return html.replace(CID_URL, (url, id: string) => urls.get(decodeId(id)) ?? url);
}

const CHUNK_BYTES = 8_192;

function toDataUrl({ type, content }: MessageFile): string {
  let characters = '';
  for (let start = 0; start < content.length; start += CHUNK_BYTES)
    characters += String.fromCharCode(...content.subarray(start, start + CHUNK_BYTES));
  return `data:${type};base64,${btoa(characters)}`;
}

function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
