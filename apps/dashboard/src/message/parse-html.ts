/**
 * The elements of untrusted HTML. The content of a template element runs no scripts, loads nothing and, unlike a document
 * of its own, pays no attention to a base element, which the policy of the page would report.
 */
export function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}
