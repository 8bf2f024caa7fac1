import type { RateLimitState } from '@posthorn/domain';

/** The rate limit headers of a response to POST /api/v1/emails. */
export function rateHeaders({ limit, remaining, resetSeconds }: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}
