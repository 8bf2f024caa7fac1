import type { RateLimitState } from '@posthorn/domain';

/** What every answer to a send says about the caller's rate limit. */
export function rateHeaders({ limit, remaining, resetSeconds }: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}
