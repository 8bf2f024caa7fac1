import type { Bounce, Deliverability, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';
import type { DeliverabilitySearch } from './deliverability-search';

/** Workers count every few seconds. */
const REFRESH_MS = 10_000;

export const deliverabilityQuery = queryOptions({
  queryKey: ['deliverability'],
  queryFn: () => get<Deliverability>('/api/v1/deliverability'),
  refetchInterval: REFRESH_MS,
});

export const bouncesQuery = ({ after, before, reason }: DeliverabilitySearch) =>
  queryOptions({
    queryKey: ['bounces', after, before, reason],
    queryFn: () => get<List<Bounce>>(`/api/v1/bounces${queryString({ after, before, class: reason })}`),
    refetchInterval: REFRESH_MS,
  });
