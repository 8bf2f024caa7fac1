import type { Member } from '@posthorn/contract';
import { request } from '../api/request';
import { memberPath } from './queries';
import { useMemberMutation } from './use-member-mutation';

export function useResendInvitation({ id, email }: Member): () => void {
  const change = useMemberMutation();
  return () =>
    change({
      act: () => request('POST', `${memberPath(id)}/resend`),
      done: `We sent a new link to ${email}. The earlier link no longer works.`,
    });
}
