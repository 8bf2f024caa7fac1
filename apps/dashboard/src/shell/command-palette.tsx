import { ActionIcon, Button, Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { paletteItems } from './palette-items';

const LABEL = 'Go to a page or an email';

/** Opens with Ctrl-K or Cmd-K, also while the user is typing elsewhere. */
export function CommandPalette() {
  const [opened, { open, close }] = useDisclosure();
  useHotkeys([['mod+K', open]], [], true);
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        onClick={open}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        aria-keyshortcuts="Control+K Meta+K"
        aria-label={LABEL}
      >
        Go to
      </Button>
      <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="sm" onClick={open} aria-label={LABEL}>
        <IconSearch size={18} stroke={1.6} />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title={LABEL} yOffset="10vh">
        <Palette onClose={close} />
      </Modal>
    </>
  );
}

function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  // The combobox handles Escape before the dialog does.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const items = paletteItems(text);
  const { selectFirstOption } = combobox;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the list changes
  useEffect(() => {
    selectFirstOption();
  }, [text]);
  const choose = (to: string) => {
    onClose();
    void navigate({ href: to });
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget>
        <TextInput
          data-autofocus
          aria-label={LABEL}
          placeholder="A page, an address, part of a subject, or an ID"
          leftSection={<IconSearch size={16} aria-hidden />}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options mt="sm" mah="50vh" style={{ overflowY: 'auto' }} aria-label={LABEL}>
        {items.map(({ label, to }) => (
          <Combobox.Option key={to} value={to} className="breakable">
            {label}
          </Combobox.Option>
        ))}
      </Combobox.Options>
      {items.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          Type at least three characters to search your emails.
        </Text>
      )}
    </Combobox>
  );
}
