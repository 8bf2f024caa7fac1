import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/config-error.js';
import type { Context } from '../context.js';
import { findRedisFault } from '../redis/find-redis-fault.js';

const RETRY_MS = 1_000;

/**
 * Refuses to start if REDIS_URL leads to a kind of server that it does not name, because only some limits would hold
 * there. A process may start before Redis does. It then looks again until Redis can be reached, and stops if the server
 * is wrong.
 * @param stop stops the process
 * @throws ConfigError
 */
export async function refuseWrongRedis(
  ctx: Pick<Context, 'config' | 'log'>,
  stop: () => void = () => process.exit(1),
): Promise<void> {
  const finding = await look(ctx);
  if (finding === null) void stopWhenWrong(ctx, stop);
  else if (finding.fault !== null) throw new ConfigError([finding.fault]);
}

async function stopWhenWrong(ctx: Pick<Context, 'config' | 'log'>, stop: () => void): Promise<void> {
  let finding: Finding | null = null;
  while (finding === null) {
    await sleep(RETRY_MS, undefined, { ref: false });
    finding = await look(ctx);
  }
  if (finding.fault === null) return;
  ctx.log.error({ fault: finding.fault }, 'redis_is_wrong');
  stop();
}

type Finding = { readonly fault: string | null };

/** @returns null if Redis cannot be reached */
async function look({ config }: Pick<Context, 'config'>): Promise<Finding | null> {
  return findRedisFault(config.redisUrl).then(
    (fault) => ({ fault }),
    () => null,
  );
}
