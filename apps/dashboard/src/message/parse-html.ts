/**
 * The elements of untrusted HTML, without event handlers. In a template element, no scripts run, nothing is loaded, and
 * base elements have no effect. In a separate document, a base element would violate the page's policy.
 */
export function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = withoutEventHandlers(html);
  return template.content;
}

/** A tag up to its last attribute. A `>` in a quoted value does not end it. */
const TAG = /<[a-z][^\s/>]*(?:[^>"']+|"[^"]*(?:"|$)|'[^']*(?:'|$))*/gi;
const VALUE_OR_HANDLER = /"[^"]*(?:"|$)|'[^']*(?:'|$)|(?<=[\s/"'])on(?=[a-z]+\s*=)/gi;

/**
 * Renames attributes such as `onclick`. They never run in a template, but Chromium 156 reports each of them as a
 * violation of the page's policy. A handler that this overlooks is only reported too.
 */
function withoutEventHandlers(html: string): string {
  return html.replace(TAG, (tag) =>
    tag.replace(VALUE_OR_HANDLER, (found) => (found.toLowerCase() === 'on' ? 'data-on' : found)),
  );
}
