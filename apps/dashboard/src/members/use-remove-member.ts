import type { Member } from '@posthorn/contract';
import { useMutation } from '@tanstack/react-query';
import { goToLogin } from '../accounts/go-to-login';
import { useSession } from '../accounts/session';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { notifyProblem } from '../ui/notify';
import { memberPath } from './queries';
import { useMemberMutation } from './use-member-mutation';

/** Removes a member or revokes an invitation, after the user confirms. Users who leave are logged out. */
export function useRemoveMember(member: Member): () => Promise<void> {
  const { user, workspace } = useSession();
  const change = useMemberMutation();
  const act = () => request('DELETE', memberPath(member.id));
  const leave = useMutation({ mutationFn: act, onSuccess: () => goToLogin(), onError: notifyProblem });
  return async () => {
    const isSelf = member.id === user.id;
    if (!(await confirm(isSelf ? leaveQuestion(workspace.name) : removeQuestion(member)))) return;
    if (isSelf) leave.mutate();
    else change({ act, done: `${member.email} was removed.` });
  };
}

function leaveQuestion(workspace: string) {
  return {
    title: `Leave ${workspace}?`,
    text: 'You will be logged out. To return, you need a new invitation from an owner.',
    action: 'Leave workspace',
  };
}

function removeQuestion({ email, status }: Member) {
  if (status === 'active') {
    return {
      title: `Remove ${email}?`,
      text: 'They lose access to this workspace immediately. Everything they created stays, including API keys.',
      action: 'Remove member',
    };
  }
  return {
    title: 'Revoke this invitation?',
    text: `The link that we emailed to ${email} will stop working.`,
    action: 'Revoke invitation',
  };
}
