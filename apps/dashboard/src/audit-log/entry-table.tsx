import { Paper, Table, VisuallyHidden } from '@mantine/core';
import type { AuditEntry } from '@posthorn/contract';
import { EntryRow } from './entry-row';

export function EntryTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <Paper withBorder>
      <Table verticalSpacing="xs" aria-label="Audit log">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={1} pe={0}>
              <VisuallyHidden>Details</VisuallyHidden>
            </Table.Th>
            <Table.Th>Action</Table.Th>
            <Table.Th visibleFrom="sm" w="24%">
              Actor
            </Table.Th>
            <Table.Th visibleFrom="sm" w="8rem">
              When
            </Table.Th>
            <Table.Th visibleFrom="sm" w="18%">
              IP address
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
