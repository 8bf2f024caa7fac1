import type { ChangeRoleRequest, Member, Role } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { memberPath } from './queries';
import { useMemberMutation } from './use-member-mutation';

/** Asks owners for confirmation before they step down, because only another owner can undo this. */
export function useChangeRole({ id, email, status }: Member): (role: Role) => Promise<void> {
  const { user } = useSession();
  const change = useMemberMutation();
  return async (role) => {
    if (id === user.id && !(await confirm(stepDownQuestion))) return;
    change({
      act: () => request('PATCH', memberPath(id), { role } satisfies ChangeRoleRequest),
      done: `${email} ${status === 'active' ? 'is now' : 'will be'} ${role === 'owner' ? 'an owner' : 'a member'}.`,
    });
  };
}

const stepDownQuestion = {
  title: 'Step down as owner?',
  text: 'You will no longer be able to manage members, API keys and domains. Only another owner can make you an owner again.',
  action: 'Step down',
};
