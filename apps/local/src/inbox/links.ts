import { type Html, html } from './html.js';

const MOST_LINKS = 100;

/** Addresses of the web that an HTML document links to, each once, in their order. */
export function linksIn(source: string): string[] {
  const found = source.matchAll(/\bhref\s*=\s*(?:"(https?:\/\/[^"]+)"|'(https?:\/\/[^']+)')/gi);
  const links = [...found].map(([, inDouble, inSingle]) =>
    (inDouble ?? inSingle ?? '').replaceAll('&amp;', '&').trim(),
  );
  return [...new Set(links)].slice(0, MOST_LINKS);
}

/** Text in which what looks like an address of the web can be followed; nothing else can. */
export function withLinks(text: string): Html {
  // The odd parts are the addresses; a full stop or bracket after one belongs to the sentence
  const parts = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/i);
  return html`${parts.map((part, index) => (index % 2 === 1 ? link(part) : html`${part}`))}`;
}

function link(url: string): Html {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>`;
}
