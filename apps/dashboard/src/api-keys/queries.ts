import type { ApiKey, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';

export const apiKeysPath = '/api/v1/api-keys';

export function apiKeyPath(id: string): string {
  return `${apiKeysPath}/${encodeURIComponent(id)}`;
}

/** All keys, including revoked ones. */
export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: () => get<List<ApiKey>>(apiKeysPath),
});
