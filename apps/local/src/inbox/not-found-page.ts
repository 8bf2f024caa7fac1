import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { KEPT_MESSAGES } from './mailbox.js';

export function notFoundPage(): Html {
  return layout(
    'Not found - Posthorn inbox',
    html`<nav aria-label="Back"><a href="/"><span aria-hidden="true">&larr;</span> Inbox</a></nav>
<main>
<h1>No such message</h1>
<p>It may have been deleted: the inbox keeps the newest ${KEPT_MESSAGES} messages only.</p>
</main>`,
  );
}
