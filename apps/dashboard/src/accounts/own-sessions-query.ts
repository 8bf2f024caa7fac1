import type { AccountSession, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

/** The user's own sessions, newest first. One page of 100 is plenty to review. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: () => get<List<AccountSession>>('/auth/sessions?limit=100'),
});
