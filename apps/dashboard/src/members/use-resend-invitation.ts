import type { Member } from '@posthorn/contract';
import { request } from '../api/request';
import { memberPath } from './queries';
import { useMemberMutation } from './use-member-mutation';

export function useResendInvitation({ id, email }: Member): () => void {
  const change = useMemberMutation();
  return () =>
    change({
      act: () => request('POST', `${memberPath(id)}/resend`),
      done: `A new link goes to ${email}; the earlier one works no more`,
    });
}
