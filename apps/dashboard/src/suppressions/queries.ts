import type { List, Suppression } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, toQueryString } from '../api/request';
import { cursor, oneOf, readSearch, text } from '../ui/search';

export const suppressionsPath = '/api/v1/suppressions';

export const suppressionsKey = ['suppressions'];

export const suppressionsQuery = ({ after, before, reason, topic, address }: SuppressionsSearch) =>
  queryOptions({
    queryKey: [...suppressionsKey, after, before, reason, topic, address],
    queryFn: () =>
      get<List<Suppression>>(
        `${suppressionsPath}${toQueryString({ after, before, reason, topic, address, limit: 50 })}`,
      ),
  });

const filters = { reason: text, topic: text, address: text };

export type FilterName = keyof typeof filters;

export type SuppressionFilters = { readonly [Name in FilterName]?: string | undefined };

/** The filters, the page and the open dialog, as in the URL. The filters are named as in the API. */
export const readSuppressionsSearch = readSearch({ ...cursor, ...filters, dialog: oneOf('add', 'import') });

export type SuppressionsSearch = ReturnType<typeof readSuppressionsSearch>;

export function hasFilters({ reason, topic, address }: SuppressionFilters): boolean {
  return [reason, topic, address].some((value) => value !== undefined);
}

/** Only the filters, and so the first page. */
export function pickFilters({ reason, topic, address }: SuppressionFilters): SuppressionFilters {
  return { reason, topic, address };
}
