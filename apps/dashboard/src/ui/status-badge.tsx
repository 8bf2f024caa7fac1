import { Badge, type MantineColor } from '@mantine/core';

type Props = { readonly color: MantineColor; readonly label: string };

/** A colored dot with a label. The label keeps the text color, so that it stays readable. */
export function StatusBadge({ color, label }: Props) {
  return (
    <Badge variant="dot" color={color} size="lg" tt="none" fw={500} radius="sm" miw="max-content">
      {label}
    </Badge>
  );
}
