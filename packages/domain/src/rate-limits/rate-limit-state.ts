/** What the rate limit says about a caller after this request; goes into the RateLimit-* headers. */
export type RateLimitState = {
  /** Emails per minute, however many recipients they have. */
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted second leaves the window: 1 to 60. */
  resetSeconds: number;
};
