import { formatAddress } from './format-address.js';
import { formatLongTime } from './format-time.js';
import { type Html, html, nothing } from './html.js';
import { layout } from './layout.js';
import type { LoadedMessage } from './load-message.js';
import { MAX_MESSAGES } from './mailbox.js';
import { messageViews } from './message-views.js';
import type { AttachedFile } from './parse-message.js';

/** `/messages/{id}`: sender, recipients and date, then the content as HTML, text and headers. */
export function messagePage(found: LoadedMessage): Html {
  const { message, parsed } = found;
  const subject = parsed.subject || '(no subject)';
  const main = html`${backLink}
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

export function messageNotFoundPage(): Html {
  return layout(
    'Not found - Posthorn inbox',
    html`${backLink}
<main>
<h1>Message not found</h1>
<p>It may have been deleted. The inbox keeps only the newest ${MAX_MESSAGES} messages.</p>
</main>`,
  );
}

const backLink = html`<nav aria-label="Back"><a href="/"><span aria-hidden="true">&larr;</span> Inbox</a></nav>`;

/** Shows the envelope too, because the envelope, not the headers, decides who receives the message. */
function facts({ message, parsed }: LoadedMessage): Html[] {
  const { from, to, cc, bcc, replyTo, date } = parsed;
  return [
    fact('From', from ? formatAddress(from) : ''),
    fact('To', to.map(formatAddress).join(', ')),
    fact('Cc', cc.map(formatAddress).join(', ')),
    fact('Bcc', bcc.map(formatAddress).join(', ')),
    fact('Reply to', replyTo.map(formatAddress).join(', ')),
    fact('Date', formatLongTime(date ?? message.receivedAt)),
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

/** `812 bytes`, `14 kB`, `2.3 MB` */
function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
