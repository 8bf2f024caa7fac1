import type { Usage } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

/** The usage includes sends a few seconds after their email is accepted. */
const REFRESH_MS = 10_000;

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: () => get<Usage>('/billing/usage'),
  refetchInterval: REFRESH_MS,
});
