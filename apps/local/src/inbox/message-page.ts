import { formatAddress } from './format-address.js';
import { formatSize } from './format-size.js';
import { longTime } from './format-time.js';
import { type Html, html, nothing } from './html.js';
import { layout } from './layout.js';
import { messageViews } from './message-views.js';
import type { AttachedFile } from './parse-message.js';
import type { ReadMessage } from './read-message.js';

/** `/messages/{id}`: who, when, and the content as HTML, as text and as headers. */
export function messagePage(found: ReadMessage): Html {
  const { message, parsed } = found;
  const subject = parsed.subject || '(no subject)';
  const main = html`<nav aria-label="Back"><a href="/"><span aria-hidden="true">&larr;</span> Inbox</a></nav>
<main class="message">
<h1><bdi>${subject}</bdi></h1>
<dl class="facts">
${facts(found)}</dl>
<ul class="files" aria-label="Files">
${parsed.attachments.map((file, index) => attachment(message.id, file, index))}<li><a href="/messages/${message.id}/raw" download>Source</a> <span>${formatSize(message.size)}</span></li>
</ul>
${messageViews(message.id, parsed)}
</main>`;
  return layout(`${subject} - Posthorn inbox`, main);
}

/** The envelope stands beside the headers because it is what decided where the message went. */
function facts({ message, parsed }: ReadMessage): Html[] {
  const { from, to, cc, bcc, replyTo, date } = parsed;
  return [
    fact('From', from ? formatAddress(from) : ''),
    fact('To', to.map(formatAddress).join(', ')),
    fact('Cc', cc.map(formatAddress).join(', ')),
    fact('Bcc', bcc.map(formatAddress).join(', ')),
    fact('Reply to', replyTo.map(formatAddress).join(', ')),
    fact('Date', longTime(date ?? message.receivedAt)),
    fact('Envelope', `${message.from || '(null sender)'} to ${message.to.join(', ')}`),
  ];
}

function fact(name: string, value: string): Html {
  if (!value) return nothing;
  return html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>
`;
}

function attachment(id: string, { name, type, content }: AttachedFile, index: number): Html {
  return html`<li><a href="/messages/${id}/attachments/${index}" download><bdi>${name}</bdi></a> <span>${type}, ${formatSize(content.length)}</span></li>
`;
}
