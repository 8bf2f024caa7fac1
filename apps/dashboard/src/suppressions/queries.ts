import type { List, Suppression } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';
import type { SuppressionsSearch } from './suppressions-search';

export const suppressionsPath = '/api/v1/suppressions';

/** The prefix of all suppression queries. Invalidate it after adding or removing some. */
export const suppressionsKey = ['suppressions'];

export const suppressionsQuery = ({ after, before, reason, topic, address }: SuppressionsSearch) =>
  queryOptions({
    queryKey: [...suppressionsKey, after, before, reason, topic, address],
    queryFn: () =>
      get<List<Suppression>>(`${suppressionsPath}${queryString({ after, before, reason, topic, address, limit: 50 })}`),
  });
