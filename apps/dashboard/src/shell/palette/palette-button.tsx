import { ActionIcon, Modal } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '../../ui/icons';
import { Palette } from './palette';

/** Opens the command palette, as do Ctrl-K and Cmd-K. */
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
