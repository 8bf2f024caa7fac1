import { Anchor, List, Stack, Text } from '@mantine/core';

/** The preview blocks links, so they can be opened here. */
export function Links({ urls }: { readonly urls: readonly string[] }) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        A link that works only once, for example to confirm an address, no longer works for the recipient after you open
        it.
      </Text>
      <List size="sm" spacing="xs" listStyleType="none">
        {urls.map((url) => (
          <List.Item key={url}>
            <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit className="breakable">
              {url}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
