import type { SMTPConnectionAuth, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { type Timeouts, timeouts as usual } from './timeouts.js';

/** One server of SMTP_URL. */
export type Relay = {
  /** `host:port`, for logs and for the record of an attempt; never the credentials. */
  readonly name: string;
  readonly options: SMTPConnectionOptions;
  readonly auth: SMTPConnectionAuth | null;
  readonly timeouts: Timeouts;
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;

/**
 * Reads `smtp://user:password@host:587` or `smtps://...`. With credentials TLS is required and the
 * certificate checked, but not on loopback, where neither protects anything. `?requireTLS=true|false`
 * and `?tls.rejectUnauthorized=false` say otherwise; `?name=` is the name we greet with.
 */
export function toRelay(smtpUrl: string, timeouts: Timeouts = usual): Relay {
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
    timeouts,
  };
}
