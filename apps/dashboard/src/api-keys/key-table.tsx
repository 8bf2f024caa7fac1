import { Paper, Table, VisuallyHidden } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { useIsOwner } from '../accounts/workspaces';
import { KeyRow } from './key-row';

export function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const isOwner = useIsOwner();
  return (
    <Paper withBorder>
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th visibleFrom="xs">Status</Table.Th>
            <Table.Th visibleFrom="lg">Scopes</Table.Th>
            <Table.Th visibleFrom="lg" style={{ whiteSpace: 'nowrap' }}>
              Last used
            </Table.Th>
            <Table.Th visibleFrom="lg">Expires</Table.Th>
            {isOwner && (
              <Table.Th w={1}>
                <VisuallyHidden>Revoke</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} withActions={isOwner} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
