import { once } from 'node:events';
import {
  measurePostgresClockOffset,
  measureRedisClockOffset,
  type RedisFacts,
  readRedisFacts,
} from '@posthorn/domain/doctor';
import { createLog } from '@posthorn/platform/logs';
import { connectRedis, findRedisFault, type RedisClient } from '@posthorn/platform/redis';
import type { CliContext } from '../command-line/context.js';
import { describeReason } from '../command-line/errors.js';
import { type Check, type CheckOutcome, checkFacts, failed, ok, skipped } from './check.js';

const MAX_MEMORY_SHARE = 0.8;
const MEGABYTE = 1_000_000;

/** A connection for the checks. `opened` rejects if Redis cannot be reached. */
type OpenedRedis = { readonly url: string; readonly opened: Promise<RedisClient>; close(): void };

/** @returns null without REDIS_URL */
export function openRedis(url: string): OpenedRedis | null {
  if (url === '') return null;
  const redis = connectRedis(url, createLog('cli', 'silent'));
  const opened = once(redis, 'ready').then(() => redis);
  // Each check reports it.
  opened.catch(() => {});
  return { url, opened, close: () => redis.disconnect() };
}

export function buildRedisChecks(redis: OpenedRedis | null): Check[] {
  if (redis === null) return [{ name: 'redis', run: async () => skipped('REDIS_URL is not set') }];
  const facts = redis.opened.then(readRedisFacts);
  const ifReachable = (name: string, evaluate: (found: RedisFacts) => CheckOutcome) =>
    checkFacts(`redis ${name}`, facts, { evaluate, unreadable: 'Redis cannot be reached' });
  return [
    { name: 'redis', run: () => reach(facts) },
    { name: 'redis mode', run: () => checkMode(redis.url) },
    ifReachable('eviction', evaluateEviction),
    ifReachable('persistence', evaluatePersistence),
    ifReachable('memory', evaluateMemory),
  ];
}

async function reach(facts: Promise<RedisFacts>): Promise<CheckOutcome> {
  try {
    return ok(`Redis ${(await facts).version} answers`);
  } catch (error) {
    return failed(`Redis cannot be reached: ${describeReason(error)}`, 'Check REDIS_URL, and whether Redis runs.');
  }
}

async function checkMode(url: string): Promise<CheckOutcome> {
  const fault = await findRedisFault(url).catch(() => undefined);
  if (fault === undefined) return skipped('Redis cannot be reached');
  return fault === null
    ? ok('The server is of the kind that REDIS_URL says')
    : failed('REDIS_URL does not fit the server', fault);
}

export function evaluateEviction({ evictionPolicy }: Pick<RedisFacts, 'evictionPolicy'>): CheckOutcome {
  if (evictionPolicy === 'noeviction') return ok(evictionPolicy);
  return failed(
    `maxmemory-policy is ${evictionPolicy}, so Redis may drop handoff markers and delivery jobs`,
    'Set maxmemory-policy to noeviction.',
  );
}

export function evaluatePersistence({ isAppendOnly }: Pick<RedisFacts, 'isAppendOnly'>): CheckOutcome {
  if (isAppendOnly) return ok('appendonly is on');
  return failed(
    'appendonly is off, so a restart loses handoff markers',
    'Set appendonly to yes. Without it, a crash of Redis and a worker together can send an email twice.',
  );
}

export function evaluateMemory({ usedBytes, maxBytes }: Pick<RedisFacts, 'usedBytes' | 'maxBytes'>): CheckOutcome {
  const used = `${Math.ceil(usedBytes / MEGABYTE)} MB`;
  if (maxBytes === 0) return ok(`${used} are used, and maxmemory is not set`);
  const text = `${used} of ${Math.floor(maxBytes / MEGABYTE)} MB are used`;
  return usedBytes <= maxBytes * MAX_MEMORY_SHARE ? ok(text) : failed(text, 'Raise maxmemory.');
}

/** A larger difference is not caused by the network. */
const MAX_OFFSET_MS = 1_000;

export function buildClockChecks({ db }: CliContext, redis: OpenedRedis | null): Check[] {
  return [
    { name: 'clock of postgres', run: () => compare('Postgres', () => measurePostgresClockOffset(db)) },
    {
      name: 'clock of redis',
      run: () => compare('Redis', async () => (redis === null ? null : measureRedisClockOffset(await redis.opened))),
    },
  ];
}

async function compare(server: string, read: () => Promise<number | null>): Promise<CheckOutcome> {
  const offset = await read().catch(() => null);
  return offset === null ? skipped(`${server} cannot be reached`) : evaluateOffset(offset);
}

export function evaluateOffset(offsetMs: number): CheckOutcome {
  const text = `${Math.abs(Math.round(offsetMs))} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} this machine`;
  if (Math.abs(offsetMs) <= MAX_OFFSET_MS) return ok(text);
  return failed(text, 'Synchronize the clocks of both machines with NTP, for example with chrony.');
}
