import { ActionIcon, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useIsOwner } from '../accounts/session';
import { toEmailId } from '../emails/email-search';
import { type Icon, IconMailPlus, IconPlus, IconSearch } from '../ui/icons';
import { apiItems, itemsAfterApi, itemsBeforeApi } from './nav-items';
import classes from './palette.module.css';

export function PaletteButton() {
  const [opened, { open, close }] = useDisclosure();
  const openAlone = () => {
    // A second dialog would cover a form that the user is filling in.
    if (document.querySelector('[role=dialog]') === null) open();
  };
  useHotkeys([['mod+K', openAlone]], [], true);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Search and commands"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title="Search and commands (Ctrl K)"
        onClick={open}
      >
        <IconSearch size={18} />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title="Search and commands">
        <Palette onClose={close} />
      </Modal>
    </>
  );
}

/** A field and the commands that match it. The focus stays in the field, and the arrow keys select a command. */
function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const listId = useId();
  const navigate = useNavigate();
  const commands = findCommands(text, useIsOwner());
  const run = (href: string) => {
    onClose();
    void navigate({ href });
  };
  const select = (index: number) => {
    setSelected(index);
    document.getElementById(`${listId}-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also confirms text that is being composed with an input method.
    if (event.nativeEvent.isComposing) return;
    const { length } = commands;
    const command = commands[selected];
    if (event.key === 'ArrowDown') select((selected + 1) % length);
    else if (event.key === 'ArrowUp') select((selected + length - 1) % length);
    else if (event.key === 'Enter' && command) run(command.href);
    else return;
    event.preventDefault();
  };
  return (
    <Stack gap="sm">
      <TextInput
        role="combobox"
        aria-autocomplete="list"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={`${listId}-${selected}`}
        label="Page, action or email"
        description="Type a name, an email ID or Message-ID, or text to search for."
        data-autofocus
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label="Commands" className={classes.list} tabIndex={-1}>
        {commands.map(({ label, icon: Icon, href }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={href}
            role="option"
            id={`${listId}-${index}`}
            aria-selected={index === selected}
            tabIndex={-1}
            className={classes.option}
            onClick={() => run(href)}
          >
            <Icon size={18} stroke={1.6} />
            <span className="breakable">{label}</span>
          </div>
        ))}
      </div>
    </Stack>
  );
}

type Command = {
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
function findCommands(typed: string, isOwner: boolean): readonly Command[] {
  const text = typed.trim();
  const emailId = toEmailId(text);
  if (emailId) return [{ label: 'Open this email', icon: IconSearch, href: `/emails/${emailId}` }];
  const words = text.toLowerCase().split(/\s+/);
  const allowed = [...pages, ...actions].filter(({ ownersOnly }) => isOwner || !ownersOnly);
  const found = allowed.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return text === '' ? found : [...found, buildSearchCommand(text)];
}

function buildSearchCommand(text: string): Command {
  return {
    label: `Search emails for “${text}”`,
    icon: IconSearch,
    href: `/emails?${new URLSearchParams({ q: text })}`,
  };
}
