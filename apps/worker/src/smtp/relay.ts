import type { SMTPConnectionAuth, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { timeouts as defaults, type Timeouts } from './timeouts.js';

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

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;

/**
 * Parses `smtp://user:password@host:587` or `smtps://...`. The certificate is verified, and credentials require TLS,
 * except on loopback, where neither protects anything. `?requireTLS=true|false` and
 * `?tls.rejectUnauthorized=true|false` override this. `?name=` sets the name we send in EHLO. `?notify=success` asks for
 * reports of successful delivery too.
 */
export function toRelay(smtpUrl: string, timeouts: Timeouts = defaults): Relay {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const port = Number(url.port || (secure ? 465 : 587));
  const isLoopback = LOOPBACK.test(url.hostname);
  const option = (name: string, fallback: boolean) => (url.searchParams.get(name) ?? String(fallback)) === 'true';
  const hasAuth = url.username !== '';
  const requireTLS = option('requireTLS', hasAuth && !isLoopback && !secure);
  const name = url.searchParams.get('name');
  return {
    name: `${url.hostname}:${port}`,
    options: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port,
      secure,
      requireTLS,
      opportunisticTLS: !requireTLS,
      tls: { rejectUnauthorized: option('tls.rejectUnauthorized', !isLoopback) },
      ...(name && { name }),
    },
    auth: hasAuth
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password), method: false }
      : null,
    notify: url.searchParams.get('notify') === 'success' ? 'SUCCESS,FAILURE,DELAY' : 'FAILURE,DELAY',
    timeouts,
  };
}
