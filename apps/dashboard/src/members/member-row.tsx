import { Table, Text } from '@mantine/core';
import type { Member } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { StatusBadge } from '../ui/status-badge';
import { RelativeTime } from '../ui/timestamp';
import { MemberMenu } from './member-menu';

const statuses = {
  active: { color: 'green', label: 'Active' },
  invited: { color: 'blue', label: 'Invited' },
  expired: { color: 'orange', label: 'Expired' },
} as const;

export function MemberRow({ member }: { readonly member: Member }) {
  const isOwner = useIsOwner();
  const { user } = useSession();
  const isSelf = member.id === user.id;
  const role = member.role === 'owner' ? 'Owner' : 'Member';
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        {member.email}
        {isSelf && (
          <Text span c="dimmed" size="sm">
            {' '}
            (you)
          </Text>
        )}
        <Text hiddenFrom="sm" c="dimmed" size="sm">
          {role}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{role}</Table.Td>
      <Table.Td>
        <StatusBadge {...statuses[member.status]} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <RelativeTime value={member.created_at} />
      </Table.Td>
      <Table.Td ta="right">{(isOwner || isSelf) && <MemberMenu member={member} />}</Table.Td>
    </Table.Tr>
  );
}
