import { Box, Center, Stack, Text } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { HistoryBars } from './history-bars';

type Props = { readonly history: Usage['history'] };

const HEIGHT = 220;

/** The number of sends per day as bars. */
export function HistoryChart({ history }: Props) {
  const total = history.reduce((sum, { sends }) => sum + sends, 0);
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Total for the last {history.length} days (UTC): {total.toLocaleString()}
      </Text>
      <Box h={HEIGHT}>
        {total === 0 ? (
          <Center h="100%">
            <Text c="dimmed">No sends in this period.</Text>
          </Center>
        ) : (
          <HistoryBars history={history} height={HEIGHT} />
        )}
      </Box>
    </Stack>
  );
}
