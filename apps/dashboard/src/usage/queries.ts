import type { Usage } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: () => get<Usage>('/billing/usage'),
});
