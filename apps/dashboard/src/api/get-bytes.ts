import { assertOk, reach } from './request';

/**
 * Reads a response, but does not download it if it is larger than `maxBytes`.
 * @returns `content` is null if the response is larger than `maxBytes`
 * @throws ApiError for any response other than a 2xx
 */
export async function getBytes(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<{ content: ArrayBuffer | null; bytes: number }> {
  const stop = new AbortController();
  const response = await reach(path, { signal: stop.signal });
  await assertOk(response);
  const bytes = Number(response.headers.get('Content-Length'));
  if (bytes <= maxBytes) {
    const content = await response.arrayBuffer();
    return { content, bytes: content.byteLength };
  }
  stop.abort();
  return { content: null, bytes };
}
