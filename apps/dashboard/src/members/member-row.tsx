import { Table, Text } from '@mantine/core';
import type { Member } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { StateBadge } from '../ui/state-badge';
import { Timestamp } from '../ui/timestamp';
import { MemberMenu } from './member-menu';

const states = {
  active: { color: 'green', words: 'Active' },
  invited: { color: 'blue', words: 'Invited' },
  expired: { color: 'orange', words: 'Expired' },
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
        <StateBadge {...states[member.status]} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Timestamp value={member.created_at} />
      </Table.Td>
      <Table.Td ta="right">{(isOwner || isSelf) && <MemberMenu member={member} />}</Table.Td>
    </Table.Tr>
  );
}
