import { formatAddress } from './format-address.js';
import { shortTime } from './format-time.js';
import { type Html, html, nothing } from './html.js';
import { layout } from './layout.js';
import { countUnread, KEPT_MESSAGES } from './mailbox.js';
import type { ListEntry, Page } from './page.js';
import type { Inbox } from './route.js';

/** `/`: the newest messages, in markup, so that a client without scripts sees them too. */
export function listPage({ mailbox, smtpUrl }: Inbox, page: Page): Html {
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
${page.entries.map(row)}</ol>
<nav id="pages" aria-label="Pages">${pageLinks(page, total)}</nav>
</main>
<footer>
<p>SMTP server: <code>${smtpUrl}</code>, without login and without TLS. What it accepts is shown here and sent nowhere. The newest ${KEPT_MESSAGES} messages are kept.</p>
</footer>`;
  const title = unread === 0 ? 'Posthorn inbox' : `(${unread}) Posthorn inbox`;
  return layout(title, main, html`<script src="/inbox.js" defer></script>`);
}

const empty = html`<h2>No mail yet</h2>
<p>Send an email with the curl line that <code>npm start</code> printed. It appears here by itself.</p>`;

function row({ message, summary }: ListEntry): Html {
  const { subject, from, snippet, attachmentCount } = summary;
  const sender = from ? formatAddress(from) : message.from || 'nobody';
  return html`<li id="message-${message.id}" class="${message.isRead ? 'read' : 'unread'}"><a href="/messages/${message.id}">
<span class="words"><bdi class="subject">${subject || '(no subject)'}</bdi> <bdi class="snippet">${snippet}</bdi></span>
<time class="when" datetime="${message.receivedAt.toISOString()}">${shortTime(message.receivedAt)}</time>
<span class="people"><bdi>${sender}</bdi> to <bdi>${message.to.join(', ')}</bdi></span>
${message.isRead ? nothing : html`<span class="unseen">Unread</span>`}
${attachments(attachmentCount)}</a></li>
`;
}

function attachments(count: number): Html {
  if (count === 0) return nothing;
  return html`<span class="when files-count">${count} ${count === 1 ? 'file' : 'files'}</span>`;
}

function pageLinks({ start, limit }: Page, total: number): Html {
  const newer = start > 0 ? pageLink('Newer', Math.max(0, start - limit), limit) : nothing;
  const older = start + limit < total ? pageLink('Older', start + limit, limit) : nothing;
  return html`${newer} ${older}`;
}

function pageLink(text: string, start: number, limit: number): Html {
  return html`<a href="/?start=${start}&amp;limit=${limit}">${text}</a>`;
}
