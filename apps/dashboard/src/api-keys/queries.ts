import type { ApiKey, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

/** All of them, revoked ones included. */
export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: () => get<List<ApiKey>>('/api/v1/api-keys'),
});
