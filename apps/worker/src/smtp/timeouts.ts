/** RFC 5321, 4.5.3.2 allows minutes; these are what a caller that holds a lease can afford. */
export const timeouts = {
  connectMs: 15_000,
  greetingMs: 30_000,
  /** Silence on a connection that should answer; the reply to the final dot may take this long. */
  silenceMs: 300_000,
  /** For a session to be ready, and once more for a message on it to begin, however lively the server drips. */
  untilDataMs: 60_000,
  /** For a whole transaction: a server that reads or answers byte by byte never falls silent. */
  wholeMs: 900_000,
  /** An unused connection is closed by us before the server does it. */
  idleMs: 20_000,
  /** For the answers nobody waits for: to RSET and QUIT. */
  partingMs: 5_000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof timeouts, number>>;
