import { setTimeout as sleep } from 'node:timers/promises';
import { type EventType, eventTypes } from '@posthorn/contract';
import { encodeWebhookBody } from '@posthorn/domain/webhooks';
import { parseUrl } from '@posthorn/platform/network';
import { createSigner, createWebhookSecret } from '@posthorn/webhooks';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readLocalService } from '../command-line/context.js';
import { CliError } from '../command-line/errors.js';
import { printError, printLine } from '../command-line/print.js';

type ListenOptions = {
  forward: string;
  url?: string;
  key?: string;
  events?: readonly EventType[];
  secret?: string;
};

export function addWebhookCommands(webhooks: Command): void {
  webhooks
    .command('listen')
    .description('post new events to a URL on this machine, signed as a webhook would; ends with Ctrl-C')
    .requiredOption('--forward <url>', 'where to post events, such as http://localhost:3000/hook', parseHttpUrl)
    .addOption(
      new Option('--url <url>', 'address of the API (default: that of the npm start of this folder)')
        .env('PUBLIC_URL')
        .argParser((text) => parseHttpUrl(text).replace(/\/+$/, '')),
    )
    .addOption(
      new Option('--key <key>', 'API key with the scope emails:read (default: that of npm start)').env(
        'POSTHORN_API_KEY',
      ),
    )
    .option('--events <types>', 'only these types of events, separated by commas', parseEventTypes)
    .option(
      '--secret <secret>',
      'secret that begins with whsec_ (default: a new one, printed at the start)',
      parseSecret,
    )
    .action((options: ListenOptions, command: Command) => listen(options, command.optsWithGlobals().json === true));
}

async function listen({ forward, url, key, events, secret }: ListenOptions, json: boolean): Promise<void> {
  const local = readLocalService();
  const api = url ?? local.api_url;
  const apiKey = key ?? local.api_key;
  if (!api) throw new CliError('configuration', 'The address of the API is missing. Set --url or PUBLIC_URL.');
  if (!apiKey) throw new CliError('configuration', 'The API key is missing. Set --key or POSTHORN_API_KEY.');
  const usedSecret = secret ?? createWebhookSecret();
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const post = createForwarder(forward, usedSecret);
  const onReady = () =>
    printLine(
      { listening_to: api, forwarding_to: forward, ...(secret === undefined && { secret: usedSecret }) },
      { json },
    );
  const onAway = () =>
    printError({ code: 'unavailable', message: `Cannot reach the API at ${api}. Retrying.` }, { json });
  for await (const event of followEvents({ api, apiKey, signal: stopping.signal, onReady, onAway })) {
    if (events && !events.includes(event.type as EventType)) continue;
    printLine(
      { time: event.created_at, type: event.type, email: event.data.email_id, ...(await post(event)) },
      { json },
    );
  }
}

function parseHttpUrl(text: string): string {
  if (/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('It must be a URL that begins with http:// or https://.');
}

/** Nothing of the text is repeated, because it may be a real secret with a typing mistake. */
function parseSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be whsec_ and then 24 to 64 bytes in base64.');
}

function parseEventTypes(text: string): EventType[] {
  const types = text.split(',').map((type) => type.trim());
  const unknown = types.find((type) => !eventTypes.some((known) => known === type));
  if (unknown === undefined) return types as EventType[];
  throw new InvalidArgumentError(`Use a comma-separated list of: ${eventTypes.join(', ')}.`);
}

/** An event as the API returns it. */
type ApiEvent = {
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
const PAGE_TIMEOUT_MS = 30_000;

type Source = { readonly api: string; readonly apiKey: string; readonly signal: AbortSignal };

/**
 * Follows the event log from now on. While the API cannot be reached, it keeps trying.
 * @param signal ends the iteration
 * @param onReady called once, when the end of the log is known. Later events are not missed
 * @param onAway called when the API cannot be reached any more, or not yet
 * @throws CliError if the API refuses the request, for example because of the key, or if another service answers
 */
async function* followEvents({
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
    signal: AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)]),
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

/** How a receiver answered. `status` is null if it did not. */
export type Forwarded = { readonly status: number | null; readonly ms: number; readonly error?: string };

const POST_TIMEOUT_MS = 15_000;

/**
 * Posts events like a webhook does, with the same headers and bodies, but without retries.
 * @param url may lead to this machine, which is the purpose
 */
function createForwarder(url: string, secret: string): (event: ApiEvent) => Promise<Forwarded> {
  const sign = createSigner([secret]);
  return async ({ id, type, created_at, sequence, data }) => {
    const body = encodeWebhookBody({ type, timestamp: created_at, data, sequence });
    const headers = sign({ id, timestampSeconds: Math.floor(Date.now() / 1_000), body });
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Posthorn' },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(POST_TIMEOUT_MS),
      });
      await response.body?.cancel();
      return { status: response.status, ms: ms() };
    } catch (error) {
      const { cause, message } = error as Error;
      return { status: null, ms: ms(), error: cause instanceof Error ? cause.message : message };
    }
  };
}
