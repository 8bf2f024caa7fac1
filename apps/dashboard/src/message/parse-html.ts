/**
 * The elements of untrusted HTML, without event handlers. In a template element, no scripts run, nothing is loaded, and
 * base elements have no effect. In a separate document, a base element would violate the page's policy.
 */
export function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = removeEventHandlers(html);
  return template.content;
}

/** A tag up to its last attribute. A `>` in a quoted value does not end it. */
const TAG = /<[a-z][^\s/>]*(?:[^>"']+|"[^"]*(?:"|$)|'[^']*(?:'|$))*/gi;
const VALUE_OR_HANDLER = /"[^"]*(?:"|$)|'[^']*(?:'|$)|(?<=[\s/"'])on(?=[a-z]+\s*=)/gi;

/**
 * Renames attributes such as `onclick`. They never run in a template, but Chromium 156 reports each of them as a
 * violation of the page's policy. A handler that this overlooks is only reported too.
 */
function removeEventHandlers(html: string): string {
  return html.replace(TAG, (tag) =>
    tag.replace(VALUE_OR_HANDLER, (found) => (found.toLowerCase() === 'on' ? 'data-on' : found)),
  );
}

const MAX_LINKS = 100;

/** The distinct http and https URLs that a message links to. Those in its HTML come first. At most 100. */
export function findLinks(html: string | null, text: string | null): string[] {
  const found = [...listHtmlLinks(html ?? ''), ...listTextLinks(text ?? '')];
  return [...new Set(found.filter((url) => /^https?:\/\//i.test(url)))].slice(0, MAX_LINKS);
}

function listHtmlLinks(html: string): string[] {
  return [...parseHtml(html).querySelectorAll('a[href], area[href]')].map((link) =>
    (link.getAttribute('href') ?? '').trim(),
  );
}

/** A full stop or bracket at the end is not part of a URL. */
function listTextLinks(text: string): string[] {
  return text.match(/https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/gi) ?? [];
}
