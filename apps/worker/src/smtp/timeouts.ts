import type { Config } from '@posthorn/platform/config';

export type Timeouts = {
  readonly connectMs: number;
  /** From the open connection to the greeting, and how long a TLS handshake may take. */
  readonly greetingMs: number;
  /** For each reply before the message, even if the server keeps sending bytes. */
  readonly replyMs: number;
  /** How long the connection may be silent. The reply to the final dot may take this long. */
  readonly silenceMs: number;
  /** How long the first final dot of a session waits, in case the server closes the connection instead of reading it. */
  readonly firstDotMs: number;
  /** How long final dots wait after the server has closed a connection instead of replying to one. */
  readonly cautiousDotMs: number;
  /** The limit for a whole transaction, because a server that reads or replies byte by byte is never silent. */
  readonly transactionMs: number;
  /** We close an unused session after this time, before the server does. */
  readonly idleMs: number;
  /** How long we wait for the replies to RSET and QUIT, which no delivery depends on. */
  readonly rsetAndQuitMs: number;
};

/**
 * RFC 5321 (section 4.5.3.2) recommends 2 to 10 minutes for each reply. All waits are within the lease, because a worker
 * extends it for as long as it waits.
 */
export function toTimeouts({
  greetingSeconds,
  replySeconds,
  finalReplySeconds,
  transactionSeconds,
}: Config['smtpTimeouts']): Timeouts {
  return {
    connectMs: 15_000,
    greetingMs: greetingSeconds * 1_000,
    replyMs: replySeconds * 1_000,
    silenceMs: Math.max(replySeconds, finalReplySeconds) * 1_000,
    firstDotMs: 10,
    cautiousDotMs: 250,
    transactionMs: transactionSeconds * 1_000,
    idleMs: 20_000,
    rsetAndQuitMs: 5_000,
  };
}
