import { parseRelayUrl } from '@posthorn/platform/config';
import type { SMTPConnectionAuth, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

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

/** One of the servers in SMTP_URL. */
export type Relay = {
  /** `host:port`, without credentials, for logs and attempt records. */
  readonly name: string;
  readonly options: SMTPConnectionOptions;
  readonly auth: SMTPConnectionAuth | null;
  /** When a server that supports DSN should send a report (RFC 3461, 4.1). */
  readonly notify: string;
  readonly timeouts: Timeouts;
};

export function toRelay(smtpUrl: string, timeouts: Timeouts = defaultTimeouts): Relay {
  const { name, host, port, secure, requireTls, verifyCertificate, ehloName, auth, notifySuccess } =
    parseRelayUrl(smtpUrl);
  return {
    name,
    options: {
      host,
      port,
      secure,
      requireTLS: requireTls,
      opportunisticTLS: !requireTls,
      tls: { rejectUnauthorized: verifyCertificate },
      ...(ehloName && { name: ehloName }),
    },
    auth: auth && { user: auth.user, pass: auth.password, method: false },
    notify: notifySuccess ? 'SUCCESS,FAILURE,DELAY' : 'FAILURE,DELAY',
    timeouts,
  };
}
