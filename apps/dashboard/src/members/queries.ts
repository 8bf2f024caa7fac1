import type { List, Member } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

export const membersPath = '/api/v1/members';

export function memberPath(id: string): string {
  return `${membersPath}/${encodeURIComponent(id)}`;
}

/** Invitations, then members, both newest first. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => get<List<Member>>(membersPath),
});
