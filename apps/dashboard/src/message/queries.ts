import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { getBytes } from '../api/get-bytes';
import { parseMessage } from './parse-message';

const MAX_SHOWN_BYTES = 500_000;

// A message never changes.
const staleTime = Number.POSITIVE_INFINITY;

/** The bytes of the message, which the queries below share, so that they are fetched once. */
function rawMessageQuery(path: string) {
  return queryOptions({
    queryKey: ['message', path, 'raw'],
    async queryFn() {
      const { content } = await getBytes(path);
      return content ?? new ArrayBuffer(0);
    },
    staleTime,
  });
}

/** The whole message as text, unless it is too large to be shown. @param path where the API serves the message */
export function messageSourceQuery(path: string) {
  return queryOptions({
    queryKey: ['message', path, 'source'],
    async queryFn({ client }) {
      const { content, bytes } = await readUpTo(client, path, MAX_SHOWN_BYTES);
      return { text: content && new TextDecoder().decode(content), bytes };
    },
    staleTime,
  });
}

/** The parts of the message. @param path where the API serves the message */
export function messageQuery(path: string) {
  return queryOptions({
    queryKey: ['message', path],
    queryFn: async ({ client }) => parseMessage(await client.ensureQueryData(rawMessageQuery(path))),
    staleTime,
  });
}

/** Uses the bytes that another tab of the page has fetched or is fetching, and keeps those that it fetches. */
async function readUpTo(client: QueryClient, path: string, maxBytes: number) {
  const raw = rawMessageQuery(path);
  const isShared = client.getQueryState(raw.queryKey) !== undefined;
  const { content, bytes } = isShared ? toRead(await client.ensureQueryData(raw)) : await getBytes(path, maxBytes);
  if (content !== null) client.setQueryData(raw.queryKey, content);
  return { content: bytes <= maxBytes ? content : null, bytes };
}

function toRead(content: ArrayBuffer) {
  return { content, bytes: content.byteLength };
}
