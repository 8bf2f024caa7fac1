/** A password, or what gets access tokens (RFC 6749, 6) for a server that takes nothing else (XOAUTH2). */
export type RelayLogin = { readonly user: string } & (
  | { readonly password: string }
  | {
      readonly oauth: {
        readonly tokenUrl: string;
        readonly clientId: string;
        readonly clientSecret: string;
        readonly refreshToken: string;
      };
    }
);

/** One of the servers in SMTP_URL. */
export type RelaySettings = {
  /** `host:port`, without credentials. Attempts, logs and metrics use the name of the relay instead. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the first byte. */
  readonly secure: boolean;
  /** Whether nothing is sent without TLS. */
  readonly requireTls: boolean;
  readonly verifyCertificate: boolean;
  /** The name that we send in EHLO; null for the name of the machine. */
  readonly ehloName: string | null;
  readonly auth: RelayLogin | null;
  /** Whether reports of successful delivery are wanted. */
  readonly notifySuccess: boolean;
};

/** Whether mail goes straight to the recipients' mail servers. */
export function isMxUrl(url: string): boolean {
  return /^mx:$/i.test(url);
}

/** `host:port` without credentials, or `mx` */
export function toRelayAddress(url: string): string {
  return isMxUrl(url) ? 'mx' : parseRelayUrl(url).name;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;

/**
 * Parses `smtp://user:password@host:587` or `smtps://...`. The certificate is verified, and credentials require TLS,
 * except on loopback, where neither protects anything. `?requireTLS=true|false` and
 * `?tls.rejectUnauthorized=true|false` override this. `?name=` sets the name we send in EHLO. `?notify=success` asks for
 * reports of successful delivery too. With `?oauth.token_url=` and its client and refresh token, the login is XOAUTH2.
 * @throws TypeError if it is not a URL
 */
export function parseRelayUrl(smtpUrl: string): RelaySettings {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const port = Number(url.port || (secure ? 465 : 587));
  const isLoopback = LOOPBACK.test(url.hostname);
  const option = (name: string, fallback: boolean) => (url.searchParams.get(name) ?? String(fallback)) === 'true';
  const hasAuth = url.username !== '';
  return {
    name: `${url.hostname}:${port}`,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    secure,
    requireTls: option('requireTLS', hasAuth && !isLoopback && !secure),
    verifyCertificate: option('tls.rejectUnauthorized', !isLoopback),
    ehloName: url.searchParams.get('name') || null,
    auth: hasAuth ? readLogin(url) : null,
    notifySuccess: url.searchParams.get('notify') === 'success',
  };
}

function readLogin({ username, password, searchParams }: URL): RelayLogin {
  const user = decodeURIComponent(username);
  const tokenUrl = searchParams.get('oauth.token_url');
  if (tokenUrl === null) return { user, password: decodeURIComponent(password) };
  const clientId = searchParams.get('oauth.client_id') ?? '';
  const clientSecret = searchParams.get('oauth.client_secret') ?? '';
  const refreshToken = searchParams.get('oauth.refresh_token') ?? '';
  return { user, oauth: { tokenUrl, clientId, clientSecret, refreshToken } };
}
