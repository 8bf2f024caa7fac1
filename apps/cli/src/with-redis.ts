import { once } from 'node:events';
import type { Config } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { connectRedis, findRedisFault, type RedisClient } from '@posthorn/platform/redis';
import { CliError } from './errors.js';

/**
 * Runs `work` with a connection that is ready. The API and the worker go on without Redis, but this fails at once.
 * @throws CliError if Redis cannot be reached or is not what REDIS_URL says
 */
export async function withRedis<Result>(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  work: (redis: RedisClient) => Promise<Result>,
): Promise<Result> {
  if (redisUrl === '')
    throw new CliError('configuration', 'REDIS_URL is missing. Set it to the URL that the API and the worker use.');
  const fault = await findRedisFault(redisUrl).catch(unavailable);
  if (fault !== null) throw new CliError('configuration', fault);
  const redis = connectRedis(redisUrl, createLog('cli', 'silent'));
  try {
    await once(redis, 'ready').catch(unavailable);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

function unavailable(error: unknown): never {
  throw new CliError('unavailable', `Cannot connect to Redis: ${(error as Error).message}`);
}
