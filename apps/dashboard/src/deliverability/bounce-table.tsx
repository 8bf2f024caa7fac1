import { Anchor, Box, Stack, Table, Text } from '@mantine/core';
import type { Bounce } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../ui/timestamp';
import { describeClass } from './bounce-classes';

export function BounceTable({ bounces }: { readonly bounces: readonly Bounce[] }) {
  return (
    <Table layout="fixed" verticalSpacing="sm" aria-label="Bounced recipients">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Recipient</Table.Th>
          <Table.Th visibleFrom="sm" w="10rem">
            Reason
          </Table.Th>
          <Table.Th visibleFrom="sm" w="11rem">
            When
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {bounces.map((bounce) => (
          <BounceRow key={bounce.id} bounce={bounce} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function BounceRow({ bounce }: { readonly bounce: Bounce }) {
  const { email_id: id, recipient, reply, created_at: at } = bounce;
  const { label } = describeClass(bounce.class);
  return (
    <Table.Tr>
      <Table.Td valign="top" className="breakable">
        <Stack gap={2}>
          <Anchor fz="sm" fw={500} renderRoot={(props) => <Link {...props} to="/emails/$id" params={{ id }} />}>
            {recipient}
          </Anchor>
          <Box hiddenFrom="sm" fz="sm">
            {label} · <RelativeTime value={at} />
          </Box>
          {reply !== null && (
            <Text size="xs" ff="monospace" c="dimmed">
              {reply}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td valign="top" visibleFrom="sm">
        {label}
      </Table.Td>
      <Table.Td valign="top" visibleFrom="sm">
        <RelativeTime value={at} />
      </Table.Td>
    </Table.Tr>
  );
}
