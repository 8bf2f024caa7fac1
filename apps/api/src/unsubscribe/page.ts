import { escapeHtml } from '@posthorn/domain/templates';
import { STYLE } from './style.js';
import { type Language, type Texts, texts } from './texts.js';

/** What the recipient of a link has chosen. */
export type Preferences = {
  readonly sender: string;
  readonly address: string;
  /** The topic of the email with the link, and those that the recipient has unsubscribed from. */
  readonly topics: readonly { readonly name: string; readonly isSubscribed: boolean }[];
  readonly isSubscribedToAny: boolean;
  readonly isTest: boolean;
};

/** What the recipient has just done. */
export type Done = { readonly action: 'unsubscribe' | 'subscribe'; readonly topic: string | null };

/**
 * The page behind an unsubscribe link, where recipients choose which mail they get. It has no scripts. Each button is a
 * form of its own that posts to the page.
 * @param done null if nothing was changed
 */
export function unsubscribePage(language: Language, preferences: Preferences, done: Done | null): string {
  const say = texts[language];
  const { sender, address, isTest } = preferences;
  const title = fill(say.title, { sender });
  const parts = [
    `<h1>${title}</h1>`,
    done === null ? '' : `<p role="status">${notice(say, done)}</p>`,
    isTest ? `<p>${say.testMail}</p>` : '',
    `<p>${fill(say.forAddress, { address })}</p>`,
    preferences.isSubscribedToAny ? choices(say, preferences) : refusedAll(say),
  ];
  return documentOf(language, title, parts.join('\n'));
}

/** For an address that is not complete. */
export function invalidLinkPage(language: Language): string {
  const { invalidTitle, invalidText } = texts[language];
  return documentOf(language, invalidTitle, `<h1>${invalidTitle}</h1>\n<p>${invalidText}</p>`);
}

function choices(say: Texts, { topics }: Preferences): string {
  const items = topics.map(({ name: topic, isSubscribed }) => {
    const [state, label, action] = isSubscribed
      ? ([say.subscribed, say.unsubscribe, 'unsubscribe'] as const)
      : ([say.unsubscribed, say.subscribeAgain, 'subscribe'] as const);
    return `<li>${fill(state, { topic })}${button({ action, topic }, fill(label, { topic }))}</li>`;
  });
  const all = button({ action: 'unsubscribe', topic: null }, say.unsubscribeFromEverything);
  return `<ul>\n${items.join('\n')}\n</ul>\n<div class="all">${say.everythingDescription}${all}</div>`;
}

function refusedAll(say: Texts): string {
  const undo = button({ action: 'subscribe', topic: null }, say.subscribeToEverythingAgain);
  return `<div class="all">${say.everythingUnsubscribed}${undo}</div>`;
}

function button({ action, topic }: Done, label: string): string {
  const named = topic === null ? '' : `<input type="hidden" name="topic" value="${escapeHtml(topic)}">`;
  return `<form method="post">${named}<button name="action" value="${action}">${label}</button></form>`;
}

function notice(say: Texts, { action, topic }: Done): string {
  if (topic === null) return action === 'unsubscribe' ? say.didUnsubscribeFromEverything : say.didSubscribeToEverything;
  return fill(action === 'unsubscribe' ? say.didUnsubscribe : say.didSubscribe, { topic });
}

/** @returns HTML. The texts themselves need no escaping */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => escapeHtml(values[name] ?? placeholder));
}

/** @param title as HTML */
function documentOf(language: Language, title: string, main: string): string {
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
