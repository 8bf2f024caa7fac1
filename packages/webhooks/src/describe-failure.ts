import { HostRefused } from './ssrf-guard.js';

const SELF_SIGNED = 'The certificate is self-signed';
const UNTRUSTED = 'The certificate was not issued by a trusted authority, or intermediate certificates are missing';
const UNREACHABLE = 'The host cannot be reached';
const BROKEN = 'The connection broke before the response was complete';

const NOT_HTTP = 'The response is not valid HTTP';

/** undici closes the connection on a 101, and says why only in the message of its error. */
const UNEXPECTED_STATUS: Readonly<Record<string, number>> = { 'bad upgrade': 101 };

/** Errors of the system, TLS, OpenSSL and undici by their codes. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ECONNRESET: BROKEN,
  EPIPE: BROKEN,
  UND_ERR_SOCKET: BROKEN,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: BROKEN,
  // undici asserts that a status is at least 100.
  ERR_ASSERTION: NOT_HTTP,
  UND_ERR_HEADERS_OVERFLOW: 'The response has too many headers',
  RESPONSE_TOO_LONG: 'The response is too long',
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  CERT_REVOKED: 'The certificate was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: 'The host does not use TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The host does not use TLS on this port',
};

/** @param status of the response, or null if none has begun */
export function describeTimeout(timeoutMs: number, status: number | null = null): string {
  const seconds = timeoutMs / 1_000;
  return status === null
    ? `No answer within ${seconds} seconds`
    : `The response was not complete after ${seconds} seconds`;
}

/** @returns null for a 2xx */
export function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const answer = `The receiver answered ${status}`;
  return status >= 300 && status < 400 ? `${answer}. Redirects are not followed` : answer;
}

/** @param status 101, which a receiver may send only to a request that asks for it */
export function describeUnexpectedStatus(status: number): string {
  return `The receiver answered ${status}, which the request did not ask for`;
}

export function describeInterimResponses(max: number): string {
  return `The receiver sent more than ${max} interim responses`;
}

/** Describes an error from a connection in one sentence for the owner of the webhook, without a full stop. */
export function describeFailure(error: Error, { host, timeoutMs }: { host: string; timeoutMs: number }): string {
  if (error instanceof HostRefused) return error.message;
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return describeTimeout(timeoutMs);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `The certificate is not valid for ${host}`;
  if (/^(HPE_|HTTPParserError$)/.test(code)) return NOT_HTTP;
  const unexpected = code === 'UND_ERR_SOCKET' ? UNEXPECTED_STATUS[error.message] : undefined;
  if (unexpected !== undefined) return describeUnexpectedStatus(unexpected);
  if (SENTENCES[code]) return SENTENCES[code];
  return /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) ? 'TLS could not be set up' : `The request failed (${code})`;
}
