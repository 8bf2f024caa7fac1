import type { ApiKey, List } from '@posthorn/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, listPages, toQueryString } from '../api/request';
import { oneOf, readSearch } from '../ui/search';

export const apiKeysPath = '/api/v1/api-keys';

export const apiKeysKey = ['api-keys'];

/** All keys that are not revoked. One page is enough, because it holds as many keys as a workspace can have. */
export const apiKeysQuery = queryOptions({
  queryKey: [...apiKeysKey, 'not-revoked'],
  queryFn: () => getKeys({ revoked: 'false' }),
});

export const revokedKeysQuery = infiniteQueryOptions({
  queryKey: [...apiKeysKey, 'revoked'],
  queryFn: ({ pageParam }) => getKeys({ revoked: 'true', after: pageParam }),
  ...listPages,
});

function getKeys(query: { readonly revoked: string; readonly after?: string | null }) {
  return get<List<ApiKey>>(`${apiKeysPath}${toQueryString({ ...query, limit: 100 })}`);
}

/** Whether the dialog that creates a key is open. It is in the URL, so that other pages can link to it. */
export const readApiKeysSearch = readSearch({ create: oneOf('true') });
