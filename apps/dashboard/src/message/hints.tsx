import { List, Text } from '@mantine/core';
import { type HintedMessage, messageHints } from './message-hints';

/** What may keep the message from being read. */
export function Hints({ message }: { readonly message: HintedMessage }) {
  const hints = messageHints(message);
  if (hints.length === 0) return <Text size="sm">Nothing about this message stands out.</Text>;
  return (
    <List size="sm" spacing="xs">
      {hints.map((hint) => (
        <List.Item key={hint}>{hint}</List.Item>
      ))}
    </List>
  );
}
