import type { Bounce, Deliverability, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, queryString } from '../api/request';
import { cursor, readSearch, text } from '../ui/search';

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

/** The place in the list of bounces, and the class of the listed bounces. */
export const readDeliverabilitySearch = readSearch({ ...cursor, reason: text });

export type DeliverabilitySearch = ReturnType<typeof readDeliverabilitySearch>;
