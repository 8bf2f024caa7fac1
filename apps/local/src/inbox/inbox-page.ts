import { formatAddress } from './format-address.js';
import { formatShortTime } from './format-time.js';
import { type Html, html, nothing } from './html.js';
import { layout } from './layout.js';
import type { ListedMessage, MessageList } from './list-messages.js';
import { countUnread, MAX_MESSAGES } from './mailbox.js';
import type { Inbox } from './route.js';

/** `/`: the newest messages. They are rendered on the server, so the page works without its script. */
export function inboxPage({ mailbox, smtpUrl }: Inbox, list: MessageList): Html {
  const total = mailbox.messages.length;
  const unread = countUnread(mailbox);
  const main = html`<header>
<h1>Inbox</h1>
<p id="count">${total === 0 ? nothing : html`${total} ${total === 1 ? 'message' : 'messages'}, ${unread} unread`}</p>
<p id="state" role="status"></p>
</header>
<main>
<div id="empty">${total === 0 ? empty : nothing}</div>
<ol id="messages">
${list.messages.map(row)}</ol>
<nav id="pages" aria-label="Pages">${pageLinks(list, total)}</nav>
</main>
<footer>
<p>SMTP server: <code>${smtpUrl}</code> (no login, no TLS). Messages are shown here and never delivered. The inbox keeps the newest ${MAX_MESSAGES}.</p>
</footer>`;
  const title = unread === 0 ? 'Posthorn inbox' : `(${unread}) Posthorn inbox`;
  return layout(title, main, html`<script src="/inbox.js" defer></script>`);
}

const empty = html`<h2>No mail yet</h2>
<p>Send an email with the <code>curl</code> command that <code>npm start</code> printed. It will appear here automatically.</p>`;

function row({ message, summary }: ListedMessage): Html {
  const { subject, from, snippet, attachmentCount } = summary;
  const sender = from ? formatAddress(from) : message.from || '(null sender)';
  return html`<li id="message-${message.id}" class="${message.isRead ? 'read' : 'unread'}"><a href="/messages/${message.id}">
<span class="words"><bdi class="subject">${subject || '(no subject)'}</bdi> <bdi class="snippet">${snippet}</bdi></span>
<time class="when" datetime="${message.receivedAt.toISOString()}">${formatShortTime(message.receivedAt)}</time>
<span class="people"><bdi>${sender}</bdi> to <bdi>${message.to.join(', ')}</bdi></span>
${message.isRead ? nothing : html`<span class="unseen">Unread</span>`}
${attachments(attachmentCount)}</a></li>
`;
}

function attachments(count: number): Html {
  if (count === 0) return nothing;
  return html`<span class="when files-count">${count} ${count === 1 ? 'file' : 'files'}</span>`;
}

function pageLinks({ start, limit }: MessageList, total: number): Html {
  const newer = start > 0 ? pageLink('Newer', Math.max(0, start - limit), limit) : nothing;
  const older = start + limit < total ? pageLink('Older', start + limit, limit) : nothing;
  return html`${newer} ${older}`;
}

function pageLink(text: string, start: number, limit: number): Html {
  return html`<a href="/?start=${start}&amp;limit=${limit}">${text}</a>`;
}
