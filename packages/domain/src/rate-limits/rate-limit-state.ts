/** A caller's rate limit after this request, as the RateLimit-* headers give it. */
export type RateLimitState = {
  /** Emails per minute, however many recipients they have. */
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted second leaves the window: 1 to 60. */
  resetSeconds: number;
};
