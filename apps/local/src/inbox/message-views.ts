import { type Html, html, nothing } from './html.js';
import { extractLinks, linkify } from './links.js';
import type { ParsedMessage } from './parse-message.js';

/** Shows one view at a time. Radio buttons and CSS select it, so no script is needed. */
export function messageViews(id: string, parsed: ParsedMessage): Html {
  const views = [
    ...(parsed.html ? [{ name: 'html', label: 'HTML', content: htmlView(id, parsed.html) }] : []),
    ...(parsed.text ? [{ name: 'text', label: 'Text', content: textView(parsed.text) }] : []),
    { name: 'headers', label: 'Headers', content: headersView(parsed.headers) },
  ];
  return html`<div class="views">
<fieldset>
<legend class="unseen">Show the message as</legend>
${views.map(({ name, label }, index) => viewButton(name, label, index === 0))}</fieldset>
${views.map(({ name, label, content }) => html`<section class="${name}" aria-label="${label}">${content}</section>\n`)}</div>`;
}

function viewButton(name: string, label: string, isFirst: boolean): Html {
  const checked = isFirst ? html` checked` : nothing;
  return html`<input type="radio" name="view" id="view-${name}"${checked}><label for="view-${name}">${label}</label>
`;
}

/** Links do not work inside the sandboxed frame, so they are listed below it. */
function htmlView(id: string, source: string): Html {
  const links = extractLinks(source);
  return html`<iframe sandbox="" src="/messages/${id}/html" title="The message as HTML" referrerpolicy="no-referrer"></iframe>
${links.length === 0 ? nothing : html`<h2>Links in this message</h2>\n<ul class="links">\n${links.map((link) => html`<li>${linkify(link)}</li>\n`)}</ul>`}`;
}

function textView(text: string): Html {
  return html`<pre tabindex="0">${linkify(text)}</pre>`;
}

function headersView(headers: ParsedMessage['headers']): Html {
  return html`<dl class="headers">
${headers.map(({ name, value }) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>\n`)}</dl>`;
}
