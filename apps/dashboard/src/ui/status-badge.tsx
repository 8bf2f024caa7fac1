import { Badge, type MantineColor } from '@mantine/core';

type Props = { readonly color: MantineColor; readonly label: string };

/** A state in label, with a dot of its colour: the label have the contrast of text. */
export function StatusBadge({ color, label }: Props) {
  return (
    <Badge variant="dot" color={color} size="lg" tt="none" fw={500} radius="sm" miw="max-content">
      {label}
    </Badge>
  );
}
