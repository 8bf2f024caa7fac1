import { type RateLimitState, Refusal } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import { type LocalLimiter, localLimiter } from './local-limiter.js';

const WINDOW_SECONDS = 60;

/**
 * The rate limit while Redis is unreachable: each process counts alone. With REDIS_DOWN_MODE=refuse it refuses
 * every request instead.
 * @returns a function that counts one request. @throws Refusal rate_limited, unavailable
 */
export function rateLimitWithoutRedis(mode: 'accept' | 'refuse') {
  const limiters = new Map<number, LocalLimiter>();
  return ({ callerId, workspace }: { callerId: string; workspace: Workspace }): RateLimitState => {
    if (mode === 'refuse') throw new Refusal('unavailable');
    const limit = workspace.allowance.ratePerMinute;
    const limiter = limiters.get(limit) ?? localLimiter({ limit, windowSeconds: WINDOW_SECONDS, what: 'emails' });
    limiters.set(limit, limiter);
    const { remaining, resetSeconds } = limiter.state(callerId);
    if (remaining === 0) throw rateLimitRefusal({ limit, remaining, resetSeconds });
    limiter.count(callerId);
    return { limit, ...limiter.state(callerId) };
  };
}

export function rateLimitRefusal(rate: RateLimitState): Refusal {
  const retryAfterSeconds = Math.max(1, rate.resetSeconds);
  return new Refusal('rate_limited', { limit: `${rate.limit} emails per minute`, retryAfterSeconds }).with({ rate });
}
