import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../errors.js';

/** An event as the API returns it. */
export type ApiEvent = {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
};

type EventPage = {
  readonly data: readonly ApiEvent[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
};

const PAUSE_MS = 500;
const PAUSE_WHILE_AWAY_MS = 2_000;
const TIMEOUT_MS = 30_000;

/**
 * Follows the event log from now on. While the API cannot be reached, it keeps trying.
 * @param signal ends the iteration
 * @param onReady called once, when the end of the log is known. Later events are not missed
 * @throws CliError if the API refuses the request, for example because of the key
 */
export async function* followEvents({
  api,
  apiKey,
  signal,
  onReady,
}: {
  api: string;
  apiKey: string;
  signal: AbortSignal;
  onReady: () => void;
}): AsyncGenerator<ApiEvent> {
  let after = 'latest';
  while (!signal.aborted) {
    const page = await readPage(`${api}/api/v1/events?limit=100&after=${after}`, apiKey, signal);
    if (page !== null && after === 'latest') onReady();
    yield* page?.data ?? [];
    after = page?.next_cursor ?? after;
    if (page === null) await pause(PAUSE_WHILE_AWAY_MS, signal);
    else if (!page.has_more) await pause(PAUSE_MS, signal);
  }
}

/** @returns null if the API could not be reached */
async function readPage(url: string, apiKey: string, signal: AbortSignal): Promise<EventPage | null> {
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch(() => null);
  if (response === null || response.status >= 500 || response.status === 429) return null;
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body as EventPage;
  const { code = 'unavailable', detail = `The API answered ${response.status}.` } = body as Record<string, string>;
  throw new CliError(code, detail);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
