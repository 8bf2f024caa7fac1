import { assertOk, reach } from './request';

/**
 * Reads a response as text. Does not download one that is larger than `maxBytes`.
 * @returns `text` is null if it has more than `maxBytes` bytes
 * @throws ApiError for any response other than a 2xx
 */
export async function getText(path: string, maxBytes: number): Promise<{ text: string | null; bytes: number }> {
  const stop = new AbortController();
  const response = await reach(path, { signal: stop.signal });
  await assertOk(response);
  const bytes = Number(response.headers.get('Content-Length'));
  if (bytes <= maxBytes) return { text: await response.text(), bytes };
  stop.abort();
  return { text: null, bytes };
}
