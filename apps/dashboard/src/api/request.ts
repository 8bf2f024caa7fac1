import type { Problem } from '@posthorn/contract';

/** Longer than the API waits for Postgres. */
const PATIENCE_MS = 20_000;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const NO_SERVER = 'The server cannot be reached. Check your connection and try again.';
const NO_ANSWER = 'The server did not answer in time. Look whether it has been done before you try again.';

/** An answer that is not a success; `code` is `unreachable` when there was no answer at all. */
export class ApiError extends Error {
  override name = 'ApiError';

  /** @param retryAfterSeconds how long the API asks to wait, where it does */
  constructor(
    readonly problem: Problem,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(problem.detail);
  }
}

/**
 * Calls the API with the session's cookie.
 * @param path with its query string, if any
 * @throws ApiError for everything that is not a 2xx
 */
export async function request<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const [answer, text] = await ask(method, path, body, signal).catch(() => {
    throw unreachable(signal.aborted ? NO_ANSWER : NO_SERVER);
  });
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer;
  throw new ApiError(toProblem(answer, text), Number(answer.headers.get('Retry-After')) || null);
}

async function ask(method: Method, path: string, body: object | undefined, signal: AbortSignal) {
  const answer = await fetch(path, {
    method,
    signal,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return [answer, await answer.text()] as const;
}

export const get = <Answer>(path: string) => request<Answer>('GET', path);

export function isApiError(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.problem.code === code;
}

/** A proxy between the browser and the API may answer with a page of its own. */
function toProblem(answer: Response, text: string): Problem {
  if (answer.headers.get('Content-Type')?.startsWith('application/problem+json')) return JSON.parse(text) as Problem;
  return unreachable(`The server answered ${answer.status}. Try again in a moment.`).problem;
}

function unreachable(detail: string): ApiError {
  return new ApiError({
    type: 'about:blank',
    title: 'Unreachable',
    status: 0,
    detail,
    code: 'unreachable',
    request_id: '',
  });
}
