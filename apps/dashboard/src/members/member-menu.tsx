import { ActionIcon, Menu } from '@mantine/core';
import type { Member } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { IconDots } from '../ui/icons';
import { useChangeRole } from './use-change-role';
import { useRemoveMember } from './use-remove-member';
import { useResendInvitation } from './use-resend-invitation';

/** Owners can change every member. Members can only leave. */
export function MemberMenu({ member }: { readonly member: Member }) {
  const isOwner = useIsOwner();
  const { user } = useSession();
  const changeRole = useChangeRole(member);
  const resend = useResendInvitation(member);
  const remove = useRemoveMember(member);
  const isActive = member.status === 'active';
  const removal = member.id === user.id ? 'Leave workspace' : 'Remove member';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.email}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!isActive && <Menu.Item onClick={resend}>Resend invitation</Menu.Item>}
        {isOwner && member.role === 'member' && <Menu.Item onClick={() => changeRole('owner')}>Make owner</Menu.Item>}
        {isOwner && member.role === 'owner' && <Menu.Item onClick={() => changeRole('member')}>Make member</Menu.Item>}
        <Menu.Item onClick={remove}>{isActive ? removal : 'Revoke invitation'}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
