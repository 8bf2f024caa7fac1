import type { Member } from '@posthorn/contract';
import { request } from '../api/request';
import { memberPath } from './queries';
import { useMemberChange } from './use-member-change';

export function useResend({ id, email }: Member): () => void {
  const change = useMemberChange();
  return () =>
    change({
      act: () => request('POST', `${memberPath(id)}/resend`),
      done: `A new link goes to ${email}; the earlier one works no more`,
    });
}
