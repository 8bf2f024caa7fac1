import { parseRelayUrl } from '@posthorn/platform/config';
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

export function toRelay(smtpUrl: string, timeouts: Timeouts = defaults): Relay {
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
