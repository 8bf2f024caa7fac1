import type { AcceptedEmail, List, Problem, SendEmailRequest } from '@posthorn/contract';

/** Longer than the API waits for Postgres. */
const TIMEOUT_MS = 20_000;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const UNREACHABLE_DETAIL = 'The server cannot be reached. Check your connection and try again.';
const TIMEOUT_DETAIL = 'The server did not respond in time. Check whether the change was made before you try again.';

/** Any response other than a 2xx. The `code` is `unreachable` when the API did not respond. */
export class ApiError extends Error {
  override name = 'ApiError';

  /** @param retryAfterSeconds from the `Retry-After` header; null if there is none */
  constructor(
    readonly problem: Problem,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(problem.detail);
  }
}

type RequestOptions = {
  /** With a key, the API carries out the request only once, however often it is repeated. */
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
};

/**
 * Calls the API with the session cookie.
 * @param path with its query string
 * @param body sent as JSON, but a file as CSV
 * @throws ApiError for any response other than a 2xx
 */
export async function request<Data>(
  method: Method,
  path: string,
  body?: object,
  { idempotencyKey, timeoutMs = TIMEOUT_MS }: RequestOptions = {},
): Promise<Data> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = {
    Accept: 'application/json',
    ...(body && { 'Content-Type': body instanceof Blob ? 'text/csv' : 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const init = { method, signal, headers, ...(body && { body: body instanceof Blob ? body : JSON.stringify(body) }) };
  const [response, text] = await send(path, init).catch(() => {
    throw buildUnreachable(signal.aborted ? TIMEOUT_DETAIL : UNREACHABLE_DETAIL);
  });
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Data;
  throw new ApiError(toProblem(response, text), Number(response.headers.get('Retry-After')) || null);
}

async function send(path: string, init: RequestInit) {
  const response = await fetch(path, init);
  return [response, await response.text()] as const;
}

/** Fetches a path whose response may not be JSON. @throws ApiError if the API does not respond */
export function reach(path: string, init?: RequestInit): Promise<Response> {
  return fetch(path, init).catch(() => {
    throw buildUnreachable();
  });
}

/** @throws ApiError for any response other than a 2xx */
export async function assertOk(response: Response): Promise<void> {
  if (!response.ok) throw new ApiError(toProblem(response, await response.text()));
}

export const get = <Data>(path: string) => request<Data>('GET', path);

/** Sends an email: one that the user wrote, the test of a template, or the first one of a workspace. */
export function sendEmail(email: SendEmailRequest, options?: RequestOptions): Promise<AcceptedEmail> {
  return request('POST', '/api/v1/emails', email, options);
}

export function isApiError(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.problem.code === code;
}

/** A proxy in front of the API may respond with its own HTML page. */
function toProblem(response: Response, text: string): Problem {
  if (response.headers.get('Content-Type')?.startsWith('application/problem+json')) return JSON.parse(text) as Problem;
  return buildUnreachable(`The server responded with status ${response.status}. Try again in a moment.`).problem;
}

function buildUnreachable(detail = UNREACHABLE_DETAIL): ApiError {
  return new ApiError({
    type: 'about:blank',
    title: 'Server unreachable',
    status: 0,
    detail,
    code: 'unreachable',
    request_id: '',
  });
}

/** `?a=1&b=2`, without empty or missing values. */
export function toQueryString(values: Readonly<Record<string, string | number | undefined | null>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query && `?${query}`;
}

/** The path of one entry of a list. */
export function toPath(list: string, id: string): string {
  return `${list}/${encodeURIComponent(id)}`;
}

/**
 * Loads all entries of a list, page by page. Use this only for lists of bounded length.
 * @param path without a query string
 */
export async function getAll<Item>(path: string): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | null = null;
  do {
    const page: List<Item> = await get(`${path}${toQueryString({ limit: 100, after })}`);
    items.push(...page.data);
    after = page.next_cursor;
  } while (after !== null);
  return items;
}

/** For queries that load one page of a list after another. */
export const listPages = {
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }: List<unknown>) => next_cursor,
};

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
