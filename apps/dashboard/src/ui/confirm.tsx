import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';

type Question = {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** The label of the button that cancels. */
  readonly dismiss?: string;
};

/** Asks for confirmation before a destructive action. @returns whether the user confirmed */
export function confirm({ title, text, action, dismiss = 'Cancel' }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{text}</Text>,
      labels: { confirm: action, cancel: dismiss },
      confirmProps: { color: 'red' },
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });
}
