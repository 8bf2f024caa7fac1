import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../ui/format-bytes';
import { IconDownload } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { messageSourceQuery } from './queries';
import { Source } from './source';

type Props = {
  /** Where the API serves the message. */
  readonly path: string;
  readonly filename: string;
};

/** The whole message with its headers, as mail servers get it. */
export function WholeMessage({ path, filename }: Props) {
  const query = useQuery(messageSourceQuery(path));
  return (
    <Loaded query={query} skeleton={<Skeleton height={320} />}>
      {({ text, bytes }) => (
        <Stack gap="sm">
          <Group justify="space-between">
            <Text size="sm">{formatBytes(bytes)}, with headers, signature and attachments.</Text>
            <Button
              component="a"
              href={path}
              download={filename}
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} />}
            >
              Download message
            </Button>
          </Group>
          {text === null ? (
            <Text c="dimmed">The message is too large to show here. Download it to read it.</Text>
          ) : (
            <Source value={text} format="message" />
          )}
        </Stack>
      )}
    </Loaded>
  );
}
