import { Anchor, Box, Paper, Table, Text, VisuallyHidden } from '@mantine/core';
import type { Suppression } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../ui/status-badge';
import { RelativeTime } from '../ui/timestamp';
import { reasons } from './reasons';
import { RemoveButton } from './remove-button';

/** On narrow screens, the reason and the time are below the address. */
export function SuppressionTable({ suppressions }: { readonly suppressions: readonly Suppression[] }) {
  return (
    <Paper withBorder>
      <Table layout="fixed" verticalSpacing="sm" horizontalSpacing="md" aria-label="Suppressions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address</Table.Th>
            <Table.Th visibleFrom="sm" w="10.5rem">
              Reason
            </Table.Th>
            <Table.Th visibleFrom="sm" w="12rem">
              Since
            </Table.Th>
            <Table.Th w="6.5rem">
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {suppressions.map((suppression) => (
            <SuppressionRow key={suppression.id} suppression={suppression} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function SuppressionRow({ suppression }: { readonly suppression: Suppression }) {
  const { address, reason, created_at } = suppression;
  const badge = <StatusBadge {...reasons[reason]} />;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td className="breakable">
        <Text size="sm" fw={500} {...(address === null && { c: 'dimmed' })}>
          {address ?? 'Erased address'}
        </Text>
        <Details suppression={suppression} />
        <Box hiddenFrom="sm" mt={6}>
          {badge}
          <Text size="xs" c="dimmed" mt={4} component="div">
            <RelativeTime value={created_at} />
          </Text>
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">{badge}</Table.Td>
      <Table.Td visibleFrom="sm">
        <RelativeTime value={created_at} />
      </Table.Td>
      <Table.Td ta="right">
        <RemoveButton suppression={suppression} />
      </Table.Td>
    </Table.Tr>
  );
}

function Details({ suppression: { topic, detail, email_id: emailId } }: { readonly suppression: Suppression }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {topic !== null && <div>Only the topic {topic}</div>}
      {detail !== null && <div>{detail}</div>}
      {emailId !== null && (
        <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/emails/$id" params={{ id: emailId }} />}>
          Open email
        </Anchor>
      )}
    </Text>
  );
}
