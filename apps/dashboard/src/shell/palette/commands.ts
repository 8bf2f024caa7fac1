import { toEmailId } from '../../emails/email-search';
import { type Icon, IconMailPlus, IconPlus, IconSearch } from '../../ui/icons';
import { apiItems, itemsAfterApi, itemsBeforeApi } from '../nav-items';

export type Command = {
  readonly label: string;
  readonly icon: Icon;
  /** A path within the dashboard, with its query. */
  readonly href: string;
};

type LimitedCommand = Command & { readonly ownersOnly?: true };

const pages: readonly LimitedCommand[] = [...itemsBeforeApi, ...apiItems, ...itemsAfterApi].map(
  ({ to, label, fullLabel = label, ...rest }) => ({ ...rest, label: fullLabel, href: to }),
);

const actions: readonly LimitedCommand[] = [
  { label: 'Write an email', icon: IconMailPlus, href: '/emails/new' },
  { label: 'Create a template', icon: IconPlus, href: '/templates/new' },
  { label: 'Suppress an address', icon: IconPlus, href: '/suppressions?dialog=add' },
  { label: 'Create a webhook', icon: IconPlus, href: '/webhooks?create=true' },
  { label: 'Create an API key', icon: IconPlus, href: '/api-keys?create=true', ownersOnly: true },
];

/** The commands that match the typed text and that the user's role allows, best first. */
export function findCommands(typed: string, isOwner: boolean): readonly Command[] {
  const text = typed.trim();
  const emailId = toEmailId(text);
  if (emailId) return [{ label: 'Open this email', icon: IconSearch, href: `/emails/${emailId}` }];
  const words = text.toLowerCase().split(/\s+/);
  const allowed = [...pages, ...actions].filter(({ ownersOnly }) => isOwner || !ownersOnly);
  const found = allowed.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return text === '' ? found : [...found, searchCommand(text)];
}

function searchCommand(text: string): Command {
  return {
    label: `Search emails for “${text}”`,
    icon: IconSearch,
    href: `/emails?${new URLSearchParams({ q: text })}`,
  };
}
