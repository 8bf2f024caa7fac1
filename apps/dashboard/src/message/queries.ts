import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { getBytes } from '../api/request';

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

export type MessageFile = {
  readonly name: string;
  readonly type: string;
  /** Its name in `cid:` URLs in the HTML (RFC 2392), without angle brackets. Null if the part has no Content-ID. */
  readonly contentId: string | null;
  readonly content: Uint8Array<ArrayBuffer>;
};

type MessageHeader = { readonly name: string; readonly value: string };

export type ParsedMessage = {
  readonly headers: readonly MessageHeader[];
  readonly html: string;
  readonly text: string;
  readonly files: readonly MessageFile[];
};

/**
 * The parts of a message (RFC 5322, RFC 2045). The parser is only loaded when it is needed.
 * @throws Error if the message cannot be parsed, for example because its parts are nested too deeply
 */
async function parseMessage(raw: ArrayBuffer): Promise<ParsedMessage> {
  const { default: PostalMime } = await import('postal-mime');
  const { headers, html = '', text = '', attachments } = await PostalMime.parse(raw, { forceRfc822Attachments: true });
  return {
    headers: headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    html,
    text,
    files: attachments.map(({ filename, mimeType, contentId, content }) => {
      const id = contentId?.replace(/^<|>$/g, '') || null;
      return { name: filename || id || 'unnamed', type: mimeType, contentId: id, content: toBytes(content) };
    }),
  };
}

function toBytes(content: string | ArrayBuffer | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  return new Uint8Array(content);
}
