import type { List, Member } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

/** Who is invited, then the members, each newest first. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => get<List<Member>>('/api/v1/members'),
});
