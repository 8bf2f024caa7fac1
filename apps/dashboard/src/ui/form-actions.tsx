import { Button, type ButtonProps, Group } from '@mantine/core';

type Props = {
  /** What the form does, such as `Create key`. */
  readonly action: string;
  readonly pending: boolean;
  readonly onCancel: () => void;
} & Pick<ButtonProps, 'color' | 'disabled'>;

/** The buttons at the end of a form in a dialog. */
export function FormActions({ action, pending, onCancel, ...button }: Props) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" loading={pending} {...button}>
        {action}
      </Button>
    </Group>
  );
}
