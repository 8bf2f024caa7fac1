import type { Readiness } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

/** Whether load balancers should send requests to this process. */
export async function readReadiness({
  checkHealth,
  shutdown,
  config,
}: Pick<ApiContext, 'checkHealth' | 'shutdown' | 'config'>): Promise<Readiness> {
  const { postgres, redis } = await checkHealth();
  if (shutdown.hasBegun()) return { status: 503, body: { status: 'stopping', postgres, redis } };
  // Without Redis, emails are accepted, unless REDIS_DOWN_MODE is set to refuse.
  const worksWithRedis = redis.reachable || config.redisDownMode === 'accept';
  const isReady = postgres.state === 'writable' && worksWithRedis;
  return { status: isReady ? 200 : 503, body: { status: isReady ? 'ready' : 'unavailable', postgres, redis } };
}
