import type { AccountSession, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

/** Where we are logged in, newest first; nobody has more than one page of them to look at. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: () => get<List<AccountSession>>('/auth/sessions?limit=100'),
});
