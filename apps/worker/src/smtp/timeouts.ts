/**
 * RFC 5321 (section 4.5.3.2) recommends 2 to 10 minutes for each reply. Most of these timeouts are shorter, because an
 * email occupies a slot of the worker while it waits.
 */
export const defaultTimeouts = {
  connectMs: 15_000,
  greetingMs: 30_000,
  /** How long the connection may be silent. The reply to the final dot may take this long. */
  silenceMs: 300_000,
  /**
   * The limit from connecting until the session is ready, and again from MAIL until the first byte of the message,
   * even if the server keeps sending.
   */
  untilDataMs: 60_000,
  /** The limit for a whole transaction, because a server that reads or replies byte by byte is never silent. */
  transactionMs: 900_000,
  /** We close an unused session after this time, before the server does. */
  idleMs: 20_000,
  /** How long we wait for the replies to RSET and QUIT, which no delivery depends on. */
  rsetAndQuitMs: 5_000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
