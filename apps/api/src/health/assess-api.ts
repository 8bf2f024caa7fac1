import type { Assess } from '@posthorn/platform/health';
import type { ApiContext } from '../context.js';

/** An API process is ready while it can write to Postgres and, with `REDIS_DOWN_MODE=refuse`, reach Redis. */
export function assessApi({ config }: Pick<ApiContext, 'config'>): Assess {
  return (health) => {
    const worksWithRedis = health.redis.reachable || config.redisDownMode === 'accept';
    return { isReady: health.postgres.state === 'writable' && worksWithRedis, facts: health };
  };
}
