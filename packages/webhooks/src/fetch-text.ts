import { Client, type Dispatcher } from 'undici';
import { describeFailure, describeStatus, describeTimeout } from './describe-failure.js';
import { limitResponseBytes } from './response-bytes.js';
import { createGuardedConnector, type SsrfGuard } from './ssrf-guard.js';

/**
 * The text, or why there is none: a sentence without a full stop.
 * @property statusCode set if the host answered, but not with 200
 */
export type FetchedText = { readonly text: string } | { readonly error: string; readonly statusCode?: number };

/**
 * @property mediaType that the response must have; by default any
 * @property timeoutMs for everything: looking up the name, connecting, and reading the response
 */
type FetchOptions = { readonly mediaType?: string; readonly maxBytes: number; readonly timeoutMs: number };

/** undici takes 16 KB of header fields. */
const MAX_HEAD_BYTES = 20_000;

/**
 * Gets a text from a host that a stranger chose, with the checks of webhooks: no forbidden address, no redirect, and a
 * certificate that Node trusts. It never rejects because of the host.
 */
export async function fetchText(guard: SsrfGuard, url: string, options: FetchOptions): Promise<FetchedText> {
  const { timeoutMs, maxBytes } = options;
  const parsed = new URL(url);
  const connect = createGuardedConnector(guard, { url: parsed, timeoutMs });
  const client = new Client(parsed.origin, { connect: limitResponseBytes(connect, MAX_HEAD_BYTES + maxBytes) });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const path = parsed.pathname + parsed.search;
    const response = await client.request({ method: 'GET', path, headers: { 'user-agent': 'Posthorn' }, signal });
    return await readText(response, options);
  } catch (error) {
    if (signal.aborted) return { error: describeTimeout(timeoutMs) };
    return { error: describeFailure(error as Error, { host: parsed.hostname, timeoutMs }) };
  } finally {
    await client.destroy();
  }
}

async function readText(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { mediaType, maxBytes }: FetchOptions,
): Promise<FetchedText> {
  // What is left unread may end with an error that nobody waits for.
  body.on('error', () => {});
  if (statusCode !== 200)
    return { error: describeStatus(statusCode) ?? `The receiver answered ${statusCode}`, statusCode };
  const [sentType = ''] = String(headers['content-type'] ?? '').split(';');
  if (mediaType !== undefined && sentType.trim().toLowerCase() !== mediaType)
    return { error: `The response is not ${mediaType}` };
  if (headers['content-encoding'] !== undefined) return { error: 'The response is compressed' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) return { error: `The response has more than ${maxBytes / 1_024} KiB` };
  }
  return { text: Buffer.concat(chunks).toString() };
}
