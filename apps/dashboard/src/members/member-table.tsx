import { Table, VisuallyHidden } from '@mantine/core';
import type { Member } from '@posthorn/contract';
import { MemberRow } from './member-row';

export function MemberTable({ members }: { readonly members: readonly Member[] }) {
  return (
    <Table verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Email</Table.Th>
          <Table.Th visibleFrom="sm">Role</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th visibleFrom="sm">Added</Table.Th>
          <Table.Th w={44}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map((member) => (
          <MemberRow key={member.id} member={member} />
        ))}
      </Table.Tbody>
    </Table>
  );
}
