import { type Html, html } from './html.js';

const MAX_LINKS = 100;

/** The distinct http and https URLs that an HTML document links to, in order of appearance. */
export function extractLinks(source: string): string[] {
  const found = source.matchAll(/\bhref\s*=\s*(?:"(https?:\/\/[^"]+)"|'(https?:\/\/[^']+)')/gi);
  const links = [...found].map(([, inDouble, inSingle]) =>
    (inDouble ?? inSingle ?? '').replaceAll('&amp;', '&').trim(),
  );
  return [...new Set(links)].slice(0, MAX_LINKS);
}

/** Turns http and https URLs in plain text into links. */
export function linkify(text: string): Html {
  // Parts with an odd index are URLs. A trailing full stop or bracket is not part of the URL.
  const parts = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/i);
  return html`${parts.map((part, index) => (index % 2 === 1 ? link(part) : html`${part}`))}`;
}

function link(url: string): Html {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>`;
}
