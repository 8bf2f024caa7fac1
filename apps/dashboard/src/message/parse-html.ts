/**
 * The elements of untrusted HTML. In a template element, no scripts run, nothing is loaded, and
 * base elements have no effect. In a separate document, a base element would violate the page's policy.
 */
export function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}
