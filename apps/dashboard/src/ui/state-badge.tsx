import { Badge, type MantineColor } from '@mantine/core';

type Props = { readonly color: MantineColor; readonly words: string };

/** A state in words, with a dot of its colour: the words have the contrast of text. */
export function StateBadge({ color, words }: Props) {
  return (
    <Badge variant="dot" color={color} size="lg" tt="none" fw={500} radius="sm" miw="max-content">
      {words}
    </Badge>
  );
}
