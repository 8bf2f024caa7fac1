import { Box, Center, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { SendsBars } from './sends-bars';

type Props = { readonly history: Usage['history'] };

const HEIGHT = 220;

/** Sends of each day: bars for those who see, a table for those who hear. */
export function SendsChart({ history }: Props) {
  const total = history.reduce((sum, { sends }) => sum + sends, 0);
  return (
    <Stack gap="xs" pos="relative">
      <Text size="sm" c="dimmed">
        {total.toLocaleString()} in the last {history.length} days. Days are UTC days.
      </Text>
      <Box h={HEIGHT} aria-hidden="true" style={{ containerType: 'inline-size' }}>
        {total === 0 ? (
          <Center h="100%">
            <Text c="dimmed">Nothing was sent on these days.</Text>
          </Center>
        ) : (
          <SendsBars history={history} height={HEIGHT} />
        )}
      </Box>
      <VisuallyHidden>
        <SendsTable history={history} />
      </VisuallyHidden>
    </Stack>
  );
}

function SendsTable({ history }: Props) {
  return (
    <table>
      <caption>Sends per UTC day</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Sends</th>
        </tr>
      </thead>
      <tbody>
        {history.map(({ date, sends }) => (
          <tr key={date}>
            <th scope="row">{date}</th>
            <td>{sends}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
