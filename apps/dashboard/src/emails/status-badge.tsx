import { Badge } from '@mantine/core';
import { wordsOf } from './status-words';

/** The state of an email or a recipient: a word, and a colour for those who see it. */
export function StatusBadge({ status }: { readonly status: string }) {
  const { label, color } = wordsOf(status);
  return (
    <Badge variant="dot" color={color} tt="none" fw={500} size="lg" radius="xl">
      {label}
    </Badge>
  );
}
