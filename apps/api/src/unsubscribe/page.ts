import { hash } from 'node:crypto';
import { escapeHtml } from '@posthorn/domain/templates';
import { type Language, type Texts, texts } from './texts.js';

/** What the recipient of a link has chosen. */
type Preferences = {
  readonly sender: string;
  readonly address: string;
  /** The topic of the email with the link, and those that the recipient has unsubscribed from. */
  readonly topics: readonly { readonly name: string; readonly isSubscribed: boolean }[];
  readonly isSubscribedToAny: boolean;
  readonly isTest: boolean;
};

export type Done = { readonly action: 'unsubscribe' | 'subscribe'; readonly topic: string | null };

/**
 * The page behind an unsubscribe link, where recipients choose which mail they get. It has no scripts. Each button is a
 * form of its own that posts to the page.
 * @param done null if nothing was changed
 */
export function renderUnsubscribePage(language: Language, preferences: Preferences, done: Done | null): string {
  const say = texts[language];
  const { sender, address, isTest } = preferences;
  const title = fill(say.title, { sender });
  const parts = [
    `<h1>${title}</h1>`,
    done === null ? '' : `<p role="status">${renderNotice(say, done)}</p>`,
    isTest ? `<p>${say.testMail}</p>` : '',
    `<p>${fill(say.forAddress, { address })}</p>`,
    preferences.isSubscribedToAny ? renderChoices(say, preferences) : renderRefusedAll(say),
  ];
  return buildDocument(language, title, parts.join('\n'));
}

export function renderInvalidLinkPage(language: Language): string {
  const { invalidTitle, invalidText } = texts[language];
  return buildDocument(language, invalidTitle, `<h1>${invalidTitle}</h1>\n<p>${invalidText}</p>`);
}

function renderChoices(say: Texts, { topics }: Preferences): string {
  const items = topics.map(({ name: topic, isSubscribed }) => {
    const [state, label, action] = isSubscribed
      ? ([say.subscribed, say.unsubscribe, 'unsubscribe'] as const)
      : ([say.unsubscribed, say.subscribeAgain, 'subscribe'] as const);
    return `<li>${fill(state, { topic })}${button({ action, topic }, fill(label, { topic }))}</li>`;
  });
  const all = button({ action: 'unsubscribe', topic: null }, say.unsubscribeFromEverything);
  return `<ul>\n${items.join('\n')}\n</ul>\n<div class="all">${say.everythingDescription}${all}</div>`;
}

function renderRefusedAll(say: Texts): string {
  const undo = button({ action: 'subscribe', topic: null }, say.subscribeToEverythingAgain);
  return `<div class="all">${say.everythingUnsubscribed}${undo}</div>`;
}

function button({ action, topic }: Done, label: string): string {
  const named = topic === null ? '' : `<input type="hidden" name="topic" value="${escapeHtml(topic)}">`;
  return `<form method="post">${named}<button name="action" value="${action}">${label}</button></form>`;
}

function renderNotice(say: Texts, { action, topic }: Done): string {
  if (topic === null) return action === 'unsubscribe' ? say.didUnsubscribeFromEverything : say.didSubscribeToEverything;
  return fill(action === 'unsubscribe' ? say.didUnsubscribe : say.didSubscribe, { topic });
}

/** @returns HTML. The texts themselves need no escaping */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => escapeHtml(values[name] ?? placeholder));
}

/** @param title as HTML */
function buildDocument(language: Language, title: string, main: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

/** The style of the unsubscribe page. It is in the page, so that the page needs only one request. */
const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1.5rem; }
main { max-width: 34rem; margin: 2rem auto; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
p, li { overflow-wrap: anywhere; }
[role="status"] { padding: 0.75rem 1rem; border: 2px solid; border-radius: 0.375rem; }
ul { padding: 0; list-style: none; }
li, .all { padding: 1rem 0; border-top: 1px solid; }
form { margin: 0.5rem 0 0; }
button { min-height: 2.75rem; padding: 0.5rem 1.25rem; border: 2px solid; border-radius: 0.375rem; font: inherit; cursor: pointer; }
button:focus-visible { outline: 3px solid; outline-offset: 2px; }
`;

/** Allows this style and no other one (CSP Level 3, section 2.3.1). */
export const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;
