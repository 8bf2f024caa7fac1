import { Paper, Table } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { useIsOwner } from '../accounts/session';
import { KeyRow } from './key-row';

export function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const isOwner = useIsOwner();
  return (
    <Paper withBorder>
      <Table.ScrollContainer minWidth={820} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Scopes</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th>Created</Table.Th>
              {isOwner && <Table.Th w={1} aria-label="Actions" />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} withActions={isOwner} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}
