import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { ConfigError } from '@posthorn/platform/config';
import { findRedisFault } from '@posthorn/platform/redis';
import { RETRY_MS } from './until-database-ready.js';

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
  const answer = await askRedis(ctx);
  if (answer === null) void stopWhenWrong(ctx, stop);
  else if (answer.fault !== null) throw new ConfigError([answer.fault]);
}

async function stopWhenWrong(ctx: Pick<Context, 'config' | 'log'>, stop: () => void): Promise<void> {
  let answer: Answer | null = null;
  while (answer === null) {
    await sleep(RETRY_MS, undefined, { ref: false });
    answer = await askRedis(ctx);
  }
  if (answer.fault === null) return;
  ctx.log.error({ fault: answer.fault }, 'redis_is_wrong');
  stop();
}

/** `fault` says what is wrong; null if nothing is. */
type Answer = { readonly fault: string | null };

/** @returns null if Redis cannot be reached */
async function askRedis({ config }: Pick<Context, 'config'>): Promise<Answer | null> {
  return findRedisFault(config.redisUrl).then(
    (fault) => ({ fault }),
    () => null,
  );
}
