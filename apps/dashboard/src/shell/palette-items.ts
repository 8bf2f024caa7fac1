import { isMessageId } from '../emails/email-search';

/** Something to go to. `to` is a path of the dashboard with its query string. */
export type PaletteItem = { readonly label: string; readonly to: string };

const pages: readonly PaletteItem[] = [
  { label: 'Overview', to: '/' },
  { label: 'Emails', to: '/emails' },
  { label: 'Test mail', to: '/emails?mode=test' },
  { label: 'Templates', to: '/templates' },
  { label: 'Domains', to: '/domains' },
  { label: 'API keys', to: '/api-keys' },
  { label: 'Usage & plan', to: '/usage' },
  { label: 'Settings', to: '/settings' },
  { label: 'Write an email', to: '/emails/new' },
  { label: 'Create a template', to: '/templates/new' },
];

const MIN_SEARCH_CHARACTERS = 3;
const ID_CHARACTERS = 36;

/** The pages and actions whose name contains the text, and what the text itself can lead to. */
export function paletteItems(text: string): PaletteItem[] {
  const typed = text.trim();
  const words = typed.toLowerCase().split(/\s+/);
  const named = pages.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return [...named, ...itemsFor(typed)];
}

function itemsFor(typed: string): PaletteItem[] {
  if (isMessageId(typed)) {
    const id = typed.replace(/^</, '').slice(0, ID_CHARACTERS);
    return [{ label: `Open the email ${id}`, to: `/emails/${id}` }];
  }
  if (typed.length < MIN_SEARCH_CHARACTERS) return [];
  return [{ label: `Search emails for “${typed}”`, to: `/emails?q=${encodeURIComponent(typed)}` }];
}
