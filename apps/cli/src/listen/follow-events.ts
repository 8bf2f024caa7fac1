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

type Source = { readonly api: string; readonly apiKey: string; readonly signal: AbortSignal };

/**
 * Follows the event log from now on. While the API cannot be reached, it keeps trying.
 * @param signal ends the iteration
 * @param onReady called once, when the end of the log is known. Later events are not missed
 * @param onAway called when the API cannot be reached any more, or not yet
 * @throws CliError if the API refuses the request, for example because of the key, or if another service answers
 */
export async function* followEvents({
  onReady,
  onAway,
  ...source
}: Source & { onReady: () => void; onAway: () => void }): AsyncGenerator<ApiEvent> {
  const { signal } = source;
  let after = 'latest';
  while (!signal.aborted) {
    const page = await readPageWhenReachable(source, after, onAway);
    if (page === null) return;
    if (after === 'latest') onReady();
    yield* page.data;
    after = page.next_cursor ?? after;
    if (!page.has_more) await pause(PAUSE_MS, signal);
  }
}

/** @returns null if the signal came first */
async function readPageWhenReachable(source: Source, after: string, onAway: () => void): Promise<EventPage | null> {
  const { signal } = source;
  for (let tries = 1; !signal.aborted; tries += 1) {
    const page = await readPage(source, after);
    if (page !== null) return page;
    if (tries === 1 && !signal.aborted) onAway();
    await pause(PAUSE_WHILE_AWAY_MS, signal);
  }
  return null;
}

/** @returns null if the API could not be reached */
async function readPage({ api, apiKey, signal }: Source, after: string): Promise<EventPage | null> {
  const response = await fetch(`${api}/api/v1/events?limit=100&after=${after}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch(() => null);
  if (response === null || response.status >= 500 || response.status === 429) return null;
  const body = (await response.json().catch(() => ({}))) as Partial<EventPage> & { code?: string; detail?: string };
  if (response.ok && body.data !== undefined) return body as EventPage;
  if (response.ok) throw new CliError('unavailable', 'The address of the API belongs to another service.');
  const { code = 'unavailable', detail = `The API answered ${response.status}.` } = body;
  throw new CliError(code, detail);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
