import { Anchor, Box, Paper, Table, Text } from '@mantine/core';
import type { Webhook } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { describeTypes } from './event-groups';
import { WebhookStatusBadge } from './webhook-status-badge';

/** On narrow screens, all columns but the first are below the URL. */
export function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  return (
    <Paper withBorder>
      <Table layout="fixed" verticalSpacing="sm" horizontalSpacing="md" aria-label="Webhooks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>URL</Table.Th>
            <Table.Th visibleFrom="sm" w="34%">
              Events
            </Table.Th>
            <Table.Th visibleFrom="sm" w="11.5rem">
              Status
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description } = webhook;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td className="breakable">
        <Anchor fw={500} fz="sm" renderRoot={(props) => <Link {...props} to="/webhooks/$id" params={{ id }} />}>
          {url}
        </Anchor>
        {description !== '' && (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
        <Box hiddenFrom="sm" mt={6}>
          <WebhookStatusBadge webhook={webhook} />
          <Types webhook={webhook} />
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm" className="breakable">
        <Types webhook={webhook} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <WebhookStatusBadge webhook={webhook} />
      </Table.Td>
    </Table.Tr>
  );
}

function Types({ webhook: { events, domain_ids, tags } }: { readonly webhook: Webhook }) {
  const types = describeTypes(events);
  return (
    <Text size="sm" lineClamp={2} title={types}>
      {(domain_ids !== null || tags !== null) && 'Filtered: '}
      {types}
    </Text>
  );
}
