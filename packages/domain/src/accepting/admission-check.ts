import { setTimeout as sleep } from 'node:timers/promises';
import { type RateLimitState, Refusal } from '@posthorn/domain/errors';
import {
  createSlidingWindowMirror,
  OF_WORKSPACE,
  type RateWindow,
  toRateLimitRefusal,
} from '@posthorn/domain/throttles';
import { createCounterLoader, forgetCounters, type LoadCounters, type Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { groupCalls } from '@posthorn/platform/batching';
import { isUnavailable } from '@posthorn/platform/postgres';
import { isCluster, type RedisClient } from '@posthorn/platform/redis';
import { type AdmissionRequest, buildEmailWindows } from './admission-request.js';
import { createReserves } from './admission-reserve.js';
import {
  type AdmissionReply,
  defineAdmissionScript,
  groupByWorkspace,
  runAdmissionScript,
} from './admission-script.js';
import { toCapRefusal } from './caps.js';
import { buildIdempotencyRedisKey, type IdempotencyKey } from './idempotency-key.js';

const MAX_REQUESTS_PER_CALL = 100;
/** What the rate limit counts. */
const COUNTED = 'emails';
/** Canceling an email deletes the counters, so they may be gone again before the script reads them. */
const MAX_COUNTER_LOADS = 2;

type Admitted = {
  readonly rate: RateLimitState;
  /** Whether Redis says that Postgres has a response for this idempotency key. If not, the request may continue. */
  readonly isStored: boolean;
};

export type AdmissionCheck = {
  /**
   * Counts a request before its body is read. This needs no round trip to Redis, so a client over its limit costs next
   * to nothing. It refuses only requests that `check` would certainly refuse too.
   * @throws Refusal rate_limited
   */
  begin(caller: { readonly id: string; readonly workspace: Workspace }): void;
  /**
   * Waits while another request with the same idempotency key is in progress.
   * @throws Refusal rate_limited, idempotency_key_reused, idempotency_in_progress,
   *   monthly_cap_exceeded, daily_cap_exhausted, unavailable
   */
  check(request: AdmissionRequest): Promise<Admitted>;
  readonly writeStoredKey: WriteStoredKey;
  /**
   * Unlocks the request's idempotency key and deletes the workspace's usage counters, so that the next check loads the
   * counters from Postgres.
   */
  release(request: AdmissionRequest): void;
};

type AdmissionContext = Pick<Context, 'config' | 'db' | 'log' | 'incarnation' | 'redis'>;

/**
 * Redis refuses most of the requests that exceed a limit, which saves Postgres the work. Only the accept transaction in
 * Postgres is final.
 */
export function createAdmissionCheck(ctx: AdmissionContext): AdmissionCheck {
  const { reserves, run } = createScriptRunner(ctx);
  const inThisProcess = createSlidingWindowMirror(COUNTED);

  async function checkInRedis(request: AdmissionRequest): Promise<Admitted> {
    const reply = await run(request);
    const rate = toRate(reply, request);
    inThisProcess.rememberReply(getLimitingWindow(reply, request).key, rate);
    if (reply[0] !== 'in_progress') return toAdmitted(reply, request);
    if (await waitForResponse(ctx, request, rate)) return { rate, isStored: true };
    // The other request was refused and released the key, so this one may continue.
    return toAdmitted(await run(request), request);
  }

  return {
    begin({ id, workspace }) {
      inThisProcess.count(buildEmailWindows({ callerId: id, workspace }));
    },
    async check(request) {
      const reserved = reserves.take(request);
      if (reserved !== null) return { rate: reserved, isStored: false };
      try {
        return await checkInRedis(request);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        logFailure(ctx, error);
        if (ctx.config.redisDownMode === 'refuse') throw new Refusal('unavailable');
        // Without Redis, this process knows only the requests that it counted itself, in `begin`.
        const rate = inThisProcess.countRest(buildEmailWindows(request), request.emails);
        return { rate, isStored: false };
      }
    },
    writeStoredKey: createStoredKeyWriter(ctx),
    release(request) {
      forgetCounters(ctx, request.workspace.id, [request.periods.month, request.periods.day]);
      unlockKey(ctx, request);
    },
  };
}

/** Groups requests that arrive together, and loads counters that are missing. */
function createScriptRunner(ctx: AdmissionContext) {
  // If this fails, the emails leave the window by themselves after a minute.
  const reserves = createReserves((request) => void runScript(request).catch(() => {}));
  const runScript = groupCalls((requests: AdmissionRequest[]) => runAdmissionScript({ ...ctx, reserves }, requests), {
    max: MAX_REQUESTS_PER_CALL,
  });
  const loadCounters = createCounterLoader(ctx);
  defineAdmissionScript(ctx.redis);

  async function run(request: AdmissionRequest): Promise<AdmissionReply> {
    let reply = await runScript(request);
    for (let loads = 0; reply[0] === 'counters_missing' && loads < MAX_COUNTER_LOADS; loads += 1) {
      await loadOrRefuse(loadCounters, request);
      reply = await runScript(request);
    }
    // With 0 sends, only the rate limit and the key are checked. They need no counters, and Postgres checks the caps.
    return reply[0] === 'counters_missing' ? runScript({ ...request, sends: 0 }) : reply;
  }

  return { reserves, run };
}

function unlockKey(ctx: AdmissionContext, { workspace, idempotencyKey }: AdmissionRequest): void {
  if (idempotencyKey)
    ctx.redis.del(buildIdempotencyRedisKey(ctx, workspace.id, idempotencyKey.keyHash)).catch(() => {});
}

function logFailure({ log }: Pick<Context, 'log'>, error: unknown): void {
  if (isUnavailable(error)) log.debug({ error }, 'admission_check_unavailable');
  else log.error({ error }, 'admission_check_failed');
}

async function loadOrRefuse(loadCounters: LoadCounters, { workspace, periods }: AdmissionRequest): Promise<void> {
  try {
    await loadCounters(workspace.id, periods);
  } catch (error) {
    // Nothing can be accepted without Postgres, so the request is refused at once.
    throw isUnavailable(error) ? new Refusal('unavailable') : error;
  }
}

/** The window with less room: that of the caller, or that of the workspace. */
function getLimitingWindow([, , , , isOfWorkspace]: AdmissionReply, request: AdmissionRequest): RateWindow {
  const { ofCaller, ofWorkspace } = buildEmailWindows(request);
  return isOfWorkspace === 1 ? ofWorkspace : ofCaller;
}

function toRate(reply: AdmissionReply, request: AdmissionRequest): RateLimitState {
  const [, remaining, resetSeconds] = reply;
  return { limit: getLimitingWindow(reply, request).limit, remaining, resetSeconds };
}

function toAdmitted(reply: AdmissionReply, request: AdmissionRequest): Admitted {
  const [decision, , , detail, isOfWorkspace] = reply;
  const rate = toRate(reply, request);
  switch (decision) {
    case 'admitted':
      return { rate, isStored: false };
    case 'stored':
      return { rate, isStored: true };
    case 'in_progress':
      throw new Refusal('idempotency_in_progress').with({ rate });
    case 'rate_limited':
      throw toRateLimitRefusal(rate, isOfWorkspace === 1 ? OF_WORKSPACE[COUNTED] : COUNTED, Number(detail));
    case 'key_reused':
      throw new Refusal('idempotency_key_reused').with({ rate });
    case 'monthly_cap':
    case 'daily_cap':
      throw toCapRefusal(decision, request, Number(detail)).with({ rate });
    default:
      throw new Error(`The admission script returned ${decision}`);
  }
}

const MAX_WAIT_MS = 5_000;
const POLL_MS = 25;

/**
 * Waits for another request that holds the same idempotency key.
 * @returns true once its response is stored, or false once it has released the key
 * @throws Refusal idempotency_in_progress after 5 s
 */
async function waitForResponse(
  ctx: Pick<Context, 'incarnation' | 'redis'>,
  { workspace, idempotencyKey }: AdmissionRequest,
  rate: RateLimitState,
): Promise<boolean> {
  const key = buildIdempotencyRedisKey(ctx, workspace.id, idempotencyKey?.keyHash ?? '');
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  while (performance.now() < giveUpAt) {
    await sleep(POLL_MS);
    const [fingerprint, stored] = await ctx.redis.hmget(key, 'fingerprint', 'stored');
    if (fingerprint !== idempotencyKey?.fingerprint) return false;
    if (stored) return true;
  }
  throw new Refusal('idempotency_in_progress').with({ rate });
}

const MAX_KEYS_PER_WRITE = 100;
/**
 * How long Redis remembers that an idempotency key has a response in Postgres. A retry within this time reads the
 * response there. A later retry gets it too, but through the accept transaction, which costs more.
 */
const STORED_KEY_SECONDS = 120;

/** Tells Redis that Postgres has a response for an idempotency key. */
type WriteStoredKey = (workspaceId: string, idempotencyKey: IdempotencyKey) => void;

type StoredKey = { readonly workspaceId: string; readonly key: string; readonly fingerprint: string };

/**
 * Writes many keys at once, because a group commit answers all of its requests together. The response itself stays in
 * Postgres: clients decide how long responses are, so they would decide how much memory Redis needs.
 */
function createStoredKeyWriter(ctx: Pick<Context, 'incarnation' | 'redis'>): WriteStoredKey {
  const write = groupCalls((storedKeys: StoredKey[]) => writeTogether(ctx.redis, storedKeys), {
    max: MAX_KEYS_PER_WRITE,
  });
  return (workspaceId, { keyHash, fingerprint }) => {
    // Postgres also knows the key, so if this write fails, a retry still gets the same response, only more slowly.
    write({ workspaceId, key: buildIdempotencyRedisKey(ctx, workspaceId, keyHash), fingerprint }).catch(() => {});
  };
}

async function writeTogether(redis: RedisClient, storedKeys: StoredKey[]): Promise<null[]> {
  const groups = isCluster(redis) ? groupByWorkspace(storedKeys, ({ workspaceId }) => workspaceId) : [storedKeys];
  await Promise.all(groups.map((group) => writeGroup(redis, group)));
  return storedKeys.map(() => null);
}

async function writeGroup(redis: RedisClient, storedKeys: StoredKey[]): Promise<void> {
  const pipeline = redis.pipeline();
  for (const { key, fingerprint } of storedKeys) {
    pipeline.hset(key, { fingerprint, stored: 1 }).expire(key, STORED_KEY_SECONDS);
  }
  await pipeline.exec();
}
