import { Anchor, Paper, Table, Text } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../ui/timestamp';
import { DomainStatusBadge } from './domain-status-badge';

export function DomainTable({ domains }: { readonly domains: readonly Domain[] }) {
  return (
    <Paper withBorder>
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Domain</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th visibleFrom="sm">Verified since</Table.Th>
            <Table.Th visibleFrom="sm">Last checked</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {domains.map((domain) => (
            <DomainRow key={domain.id} domain={domain} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function DomainRow({ domain }: { readonly domain: Domain }) {
  const { id, name, status, verified_at, checked_at } = domain;
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        <Anchor fw={500} fz="sm" renderRoot={(props) => <Link {...props} to="/domains/$id" params={{ id }} />}>
          {name}
        </Anchor>
        <RecordCount domain={domain} />
      </Table.Td>
      <Table.Td>
        <DomainStatusBadge status={status} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {status === 'verified' && verified_at ? (
          <RelativeTime value={verified_at} />
        ) : (
          <Text size="sm" c="dimmed">
            not verified
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {checked_at ? (
          <RelativeTime value={checked_at} />
        ) : (
          <Text size="sm" c="dimmed">
            not yet
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** Shown until all required records are in place. */
function RecordCount({ domain: { records } }: { readonly domain: Domain }) {
  const required = records.filter((record) => record.required);
  const inPlace = required.filter(({ status }) => status === 'verified');
  if (inPlace.length === required.length) return null;
  return (
    <Text size="xs" c="dimmed">
      {inPlace.length} of {required.length} required records are in place
    </Text>
  );
}
