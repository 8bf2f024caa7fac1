import { clockOffsetOfPostgres, clockOffsetOfRedis } from '@posthorn/domain/doctor';
import type { CliContext } from '../context.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';
import type { OpenedRedis } from './redis-checks.js';

/** A larger difference is not caused by the network. */
const MAX_OFFSET_MS = 1_000;

export function clockChecks({ db }: CliContext, redis: OpenedRedis | null): Check[] {
  return [
    { name: 'clock of postgres', run: () => compare('Postgres', () => clockOffsetOfPostgres(db)) },
    {
      name: 'clock of redis',
      run: () => compare('Redis', async () => (redis === null ? null : clockOffsetOfRedis(await redis.opened))),
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
