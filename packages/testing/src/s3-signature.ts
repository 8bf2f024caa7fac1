import { createHmac, hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
};

export type SignedRequest = {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
};

/** The code and the message of S3's error. */
export type SignatureFault = { readonly code: string; readonly message: string };

const ALGORITHM = 'AWS4-HMAC-SHA256';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const MAX_SKEW_MS = 15 * 60_000;

/**
 * Checks an AWS Signature Version 4 in the Authorization header, as S3 does. It is written from Amazon's description
 * ("Authenticating Requests: Using the Authorization Header") and shares no code with the client under test.
 * @returns null if the signature is right
 */
export function s3SignatureFault(
  request: SignedRequest,
  credentials: S3Credentials,
  now: Date = new Date(),
): SignatureFault | null {
  const match = AUTHORIZATION.exec(request.headers.authorization ?? '');
  if (!match) return { code: 'AccessDenied', message: 'There is no complete AWS4-HMAC-SHA256 Authorization' };
  const [, accessKeyId, day, region, names, signature] = match as unknown as string[];
  if (accessKeyId !== credentials.accessKeyId)
    return { code: 'InvalidAccessKeyId', message: 'The access key does not exist' };
  if (region !== credentials.region)
    return { code: 'AuthorizationHeaderMalformed', message: `The region is wrong; expecting ${credentials.region}` };
  const timeFault = faultOfTime(request, day as string, now);
  if (timeFault) return timeFault;
  const signed = (names as string).split(';');
  const unsigned = mustBeSigned(request).filter((name) => !signed.includes(name));
  if (unsigned.length > 0) return { code: 'AccessDenied', message: `Headers are not signed: ${unsigned.join(', ')}` };
  if (signatureOf(request, signed, { ...credentials, day: day as string }) === signature) return null;
  return { code: 'SignatureDoesNotMatch', message: 'The signature does not match the request and the secret key' };
}

function faultOfTime({ headers }: SignedRequest, day: string, now: Date): SignatureFault | null {
  const time = String(headers['x-amz-date']);
  const [, year, month, date, hours, minutes, seconds] = /^(....)(..)(..)T(..)(..)(..)Z$/.exec(time) ?? [];
  const sentAt = Date.parse(`${year}-${month}-${date}T${hours}:${minutes}:${seconds}Z`);
  if (!time.startsWith(day) || !(Math.abs(now.getTime() - sentAt) <= MAX_SKEW_MS))
    return { code: 'RequestTimeTooSkewed', message: 'x-amz-date is too far from the current time, or on another day' };
  return null;
}

function mustBeSigned({ headers }: SignedRequest): string[] {
  return ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
}

function signatureOf(
  request: SignedRequest,
  names: readonly string[],
  { secretAccessKey, region, day }: S3Credentials & { readonly day: string },
): string {
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [ALGORITHM, request.headers['x-amz-date'], scope, hash('sha256', canonical(request, names))].join('\n');
  const keys = [day, region, 's3', 'aws4_request'];
  const key = keys.reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The canonical request: the form of a request that both sides sign. */
function canonical({ method, url, headers }: SignedRequest, names: readonly string[]): string {
  const [path = '', query = ''] = url.split('?');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  return [
    method,
    path.split('/').map(canonicalText).join('/'),
    query.split('&').filter(Boolean).map(canonicalParameter).sort().join('&'),
    lines.join(''),
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n');
}

function canonicalParameter(parameter: string): string {
  const [name = '', value = ''] = parameter.split('=');
  return `${canonicalText(name)}=${canonicalText(value)}`;
}

/** Percent-encodes everything that RFC 3986 does not call unreserved. */
function canonicalText(sent: string): string {
  const encoded = encodeURIComponent(decodeURIComponent(sent));
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
