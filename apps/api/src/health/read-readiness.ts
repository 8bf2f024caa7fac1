import { type Readiness, toReadiness } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

/** Whether load balancers should send requests to this process. */
export async function readReadiness({
  checkHealth,
  shutdown,
  config,
}: Pick<ApiContext, 'checkHealth' | 'shutdown' | 'config'>): Promise<Readiness> {
  const health = await checkHealth();
  // Without Redis, emails are accepted, unless REDIS_DOWN_MODE is set to refuse.
  const worksWithRedis = health.redis.reachable || config.redisDownMode === 'accept';
  const isReady = health.postgres.state === 'writable' && worksWithRedis;
  return toReadiness({ isReady, facts: health }, shutdown.hasBegun());
}
