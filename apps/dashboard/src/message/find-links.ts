import { parseHtml } from './parse-html';

const MAX_LINKS = 100;

/** The distinct http and https URLs that a message links to. Those in its HTML come first. At most 100. */
export function findLinks(html: string | null, text: string | null): string[] {
  const found = [...linksOfHtml(html ?? ''), ...linksOfText(text ?? '')];
  return [...new Set(found.filter((url) => /^https?:\/\//i.test(url)))].slice(0, MAX_LINKS);
}

function linksOfHtml(html: string): string[] {
  return [...parseHtml(html).querySelectorAll('a[href], area[href]')].map((link) =>
    (link.getAttribute('href') ?? '').trim(),
  );
}

/** A full stop or bracket at the end is not part of a URL. */
function linksOfText(text: string): string[] {
  return text.match(/https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/gi) ?? [];
}
