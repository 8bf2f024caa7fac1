import { setTimeout as sleep } from 'node:timers/promises';
import { readQueuePauses } from '@posthorn/domain/delivery';
import { readBacklog } from '@posthorn/domain/emails';
import {
  readAttemptActivity,
  readDestinationActivity,
  readHeldBack,
  readWorkspaceActivity,
} from '@posthorn/domain/monitoring';
import { findSlowDown, type SlowDownState } from '@posthorn/domain/relays';
import { parseUrl } from '@posthorn/platform/network';
import { createIncarnation, type Db } from '@posthorn/platform/postgres';
import type { RedisClient } from '@posthorn/platform/redis';
import { type Command, InvalidArgumentError } from 'commander';
import { type CliContext, type RunAction, withRedis } from '../command-line/context.js';
import { describeError } from '../command-line/errors.js';
import { formatResult, type Result } from '../command-line/print.js';

const REFRESH_MS = 1_000;
/** Moves the cursor to the top left and clears the terminal from there. */
const CLEAR = '\u001b[H\u001b[J';

type TopOptions = { readonly once?: true; readonly worker: readonly string[] };

export function addTopCommand(top: Command, run: RunAction): void {
  top
    .option('--once', 'print it once; this is the default if the output is not a terminal')
    .option('--worker <url>', 'where a worker serves its metrics; can be repeated', addUrl, [] as readonly string[])
    .action((options: TopOptions, command: Command) =>
      run((ctx) => {
        const urls = options.worker.length > 0 ? options.worker : localWorker(ctx);
        const isLive =
          process.stdout.isTTY === true && options.once !== true && command.optsWithGlobals().json !== true;
        return isLive ? refresh(ctx, urls) : readTop(ctx, urls);
      }),
    );
}

function addUrl(text: string, urls: readonly string[]): readonly string[] {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? ''))
    throw new InvalidArgumentError('It must be a URL such as http://worker:9464.');
  return [...urls, text];
}

/** The worker of this host, if METRICS_PORT says where it is. */
function localWorker({ env }: CliContext): readonly string[] {
  const { METRICS_PORT: port } = env;
  return port === undefined ? [] : [`http://127.0.0.1:${port}`];
}

/** Ends when Ctrl-C ends the process. */
async function refresh(ctx: CliContext, urls: readonly string[]): Promise<null> {
  for (;;) {
    const result: Result = await readTop(ctx, urls).catch((error) => ({ error: describeError(error).message }));
    process.stdout.write(`${CLEAR}${new Date().toISOString()}  (press Ctrl-C to stop)\n\n${formatResult(result)}\n`);
    await sleep(REFRESH_MS);
  }
}

/** Everything that `posthorn top` shows. @param workerUrls of the metrics ports of workers */
async function readTop(ctx: CliContext, workerUrls: readonly string[]): Promise<Result> {
  const { db } = ctx;
  const [backlog, pauses, workspaces, attempts, destinations, workers, heldBack] = await Promise.all([
    readBacklog(db),
    readQueuePauses(db),
    readWorkspaceActivity(db),
    readAttemptActivity(db),
    readDestinationActivity(db),
    readWorkers(workerUrls),
    readHeldBackNow(ctx),
  ]);
  return {
    oldestDueSeconds: backlog.oldestDueSeconds,
    ...backlog.emails,
    ...(pauses.length > 0 && {
      paused: pauses.map(({ workspaceId }) => workspaceId ?? 'the whole service').join(', '),
    }),
    ...(workers.unreachable.length > 0 && { unreachableWorkers: workers.unreachable.join(', ') }),
    workspaces: workspaces.map(({ id, name, mode, waiting, oldestSeconds, accepted, sent }) => ({
      id,
      waiting,
      oldestSeconds,
      acceptedPerMinute: accepted,
      sentPerMinute: sent,
      mode,
      name,
    })),
    ...(workerUrls.length > 0 && { relays: workers.relays }),
    ...(heldBack.length > 0 && { heldBack }),
    attempts,
    destinations: destinations.map(({ domain, waiting, sent, deferred, bounced, lastReply }) => ({
      domain,
      deferredWaiting: waiting,
      sentPerMinute: sent,
      deferredPerMinute: deferred,
      bouncedPerMinute: bounced,
      lastReply,
    })),
  };
}

/** The most emails that wait for the same thing, and until when and why a relay or a site wants less mail. */
async function readHeldBackNow({ config, db }: CliContext): Promise<Result[]> {
  const all = (await readHeldBack(db)).toSorted((a, b) => b.emails - a.emails).slice(0, MAX_HELD_BACK);
  const slow = all.filter(({ kind }) => kind === 'slow').map(({ name }) => name);
  const states = slow.length === 0 ? new Map() : await readSlowDowns(config, db, slow);
  return all.map(({ kind, name, emails, oldestSeconds }) => {
    const state: SlowDownState | null = states.get(name) ?? null;
    return {
      ...{ waitsFor: kind, place: name.split('/').slice(0, 2).join('/'), waiting: emails, oldestSeconds },
      until: state && new Date(state.until),
      reply: state?.reply ?? null,
    };
  });
}

const MAX_HELD_BACK = 50;

/** Without Redis, it is only known that they wait. */
async function readSlowDowns(
  config: CliContext['config'],
  db: Db,
  places: readonly string[],
): Promise<Map<string, SlowDownState | null>> {
  const read = async (redis: RedisClient) => {
    const ctx = { redis, incarnation: createIncarnation(db) };
    return Promise.all(places.map(async (place) => [place, await findSlowDown(ctx, place)] as const));
  };
  return new Map(await withRedis(config, read).catch(() => []));
}

const METRICS_TIMEOUT_MS = 2_000;

/** A relay as all workers together see it. */
type RelaySummary = {
  readonly relay: string;
  /** Whether a worker has stopped using it after a failure, or it refuses us. */
  readonly failed: boolean;
  readonly sessions: number;
};

/**
 * Reads the metrics of workers.
 * @param urls of their metrics ports
 * @returns the relays that they use, and the workers that did not answer
 */
async function readWorkers(urls: readonly string[]): Promise<{ relays: RelaySummary[]; unreachable: string[] }> {
  const texts = await Promise.all(urls.map(readMetrics));
  const relays = new Map<string, RelaySummary>();
  for (const text of texts)
    for (const [, relay = '', usable = ''] of (text ?? '').matchAll(
      /^posthorn_relay_state\{relay="([^"]+)"\} (\d)/gm,
    )) {
      const before = relays.get(relay) ?? { relay, failed: false, sessions: 0 };
      const sessions = before.sessions + countSessions(text ?? '', relay);
      relays.set(relay, { relay, failed: before.failed || usable === '0', sessions });
    }
  return { relays: [...relays.values()], unreachable: urls.filter((_, index) => texts[index] === null) };
}

function countSessions(text: string, relay: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`posthorn_smtp_sessions{relay="${relay}"} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** @returns null if the worker does not answer */
async function readMetrics(url: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('/metrics', url), { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
