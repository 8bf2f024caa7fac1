import { Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useIsOwner } from '../../accounts/workspaces';
import { findCommands } from './commands';
import classes from './palette.module.css';

/** A field and the commands that match it. The focus stays in the field, and the arrow keys select a command. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
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
