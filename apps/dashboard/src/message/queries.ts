import { queryOptions } from '@tanstack/react-query';
import { getBytes } from '../api/get-bytes';
import { getText } from '../api/get-text';
import { parseMessage } from './parse-message';

const MAX_SHOWN_BYTES = 500_000;

// A message never changes.
const staleTime = Number.POSITIVE_INFINITY;

/** The whole message as text, unless it is too large to be shown. @param path where the API serves the message */
export function messageSourceQuery(path: string) {
  return queryOptions({
    queryKey: ['message', path, 'source'],
    queryFn: () => getText(path, MAX_SHOWN_BYTES),
    staleTime,
  });
}

/** The parts of the message. @param path where the API serves the message */
export function messageQuery(path: string) {
  return queryOptions({
    queryKey: ['message', path],
    queryFn: async () => parseMessage(await getBytes(path)),
    staleTime,
  });
}
