import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import S3rver from 's3rver';
import { until } from './until.js';

type S3ServerOptions = S3Credentials & {
  /** Keeps the objects, even if the server dies. */
  readonly folder: string;
  readonly port?: number;
};

/** An S3 server with one bucket, which refuses every request that is not signed correctly. */
export type S3Server = {
  readonly port: number;
  /** For BLOB_STORE. Other credentials replace those of the server. */
  blobStore(others?: Partial<S3Credentials>): string;
  /** Refuses every request for this object, as a bucket policy could. `status` is 403 by default. */
  deny(key: string, status?: number): void;
  close(): Promise<void>;
};

const BUCKET = 'posthorn';
const OBJECT_SUFFIX = '._S3rver_object';

export async function startS3Server({ folder, port = 0, ...credentials }: S3ServerOptions): Promise<S3Server> {
  // The bucket is in the path, so S3rver must not look for one in the host name.
  const store = new S3rver({
    ...{ directory: folder, silent: true, vhostBuckets: false },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  await store.configureBuckets();
  answerWhenWritten(store, folder);
  const answer = store.callback();
  const denied = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const status = denied.get(decodeURIComponent(url.slice(`/${BUCKET}/`.length)));
    const fault = status ? DENIED : findSignatureFault({ method, url, headers }, credentials);
    // S3rver knows no keys but its own, and cannot check this kind of signature.
    delete headers.authorization;
    void (fault ? refuse(request, response, { ...fault, status: status ?? 403 }) : answer(request, response));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    blobStore: (others) => toBlobStore({ ...credentials, ...others }, address.port),
    deny: (key, status = 403) => denied.set(key, status),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

type Store = { putObject(object: { bucket: string; key: string }): Promise<{ size: number; md5: string }> };

/** S3rver answers before the object is written, so an object that it confirmed could be lost when it is killed. */
function answerWhenWritten(server: S3rver, folder: string): void {
  const { store } = server as unknown as { store: Store };
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const stored = await put(object);
    const file = join(folder, object.bucket, object.key + OBJECT_SUFFIX);
    await until(async () => (await stat(file)).size === stored.size);
    return stored;
  };
}

const DENIED: SignatureFault = { code: 'AccessDenied', message: 'Access Denied' };

/** Reads the body first, because a client that is still sending would see a broken connection instead. */
async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  fault: SignatureFault & { readonly status: number },
): Promise<void> {
  request.resume();
  if (!request.complete) await once(request, 'close');
  const { status, code, message } = fault;
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

function toBlobStore({ accessKeyId, secretAccessKey, region }: S3Credentials, port: number): string {
  const login = `${encodeURIComponent(accessKeyId)}:${encodeURIComponent(secretAccessKey)}`;
  return `s3://${login}@127.0.0.1:${port}/${BUCKET}?insecure=1&region=${region}`;
}

/** The objects in the folder of an S3 server, whether or not it is running. */
export async function listS3Objects(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, BUCKET), { recursive: true });
  return names.filter((name) => name.endsWith(OBJECT_SUFFIX)).map((name) => name.slice(0, -OBJECT_SUFFIX.length));
}

type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
};

export type SignedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
};

type SignatureFault = { readonly code: string; readonly message: string };

const ALGORITHM = 'AWS4-HMAC-SHA256';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const MAX_SKEW_MS = 15 * 60_000;

/**
 * Checks an AWS Signature Version 4 in the Authorization header, as S3 does. It is written from Amazon's description
 * ("Authenticating Requests: Using the Authorization Header") and shares no code with the client under test.
 * @returns null if the signature is right
 */
export function findSignatureFault(
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
  const timeFault = findTimeFault(request, day as string, now);
  if (timeFault) return timeFault;
  const signed = (names as string).split(';');
  const unsigned = listMustBeSigned(request).filter((name) => !signed.includes(name));
  if (unsigned.length > 0) return { code: 'AccessDenied', message: `Headers are not signed: ${unsigned.join(', ')}` };
  if (buildSignature(request, signed, { ...credentials, day: day as string }) === signature) return null;
  return { code: 'SignatureDoesNotMatch', message: 'The signature does not match the request and the secret key' };
}

function findTimeFault({ headers }: SignedRequest, day: string, now: Date): SignatureFault | null {
  const time = String(headers['x-amz-date']);
  const [, year, month, date, hours, minutes, seconds] = /^(....)(..)(..)T(..)(..)(..)Z$/.exec(time) ?? [];
  const sentAt = Date.parse(`${year}-${month}-${date}T${hours}:${minutes}:${seconds}Z`);
  if (!time.startsWith(day) || !(Math.abs(now.getTime() - sentAt) <= MAX_SKEW_MS))
    return { code: 'RequestTimeTooSkewed', message: 'x-amz-date is too far from the current time, or on another day' };
  return null;
}

function listMustBeSigned({ headers }: SignedRequest): string[] {
  return ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
}

function buildSignature(
  request: SignedRequest,
  names: readonly string[],
  { secretAccessKey, region, day }: S3Credentials & { readonly day: string },
): string {
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [
    ALGORITHM,
    request.headers['x-amz-date'],
    scope,
    hash('sha256', buildCanonicalRequest(request, names)),
  ].join('\n');
  const keys = [day, region, 's3', 'aws4_request'];
  const key = keys.reduce<string | Buffer>((parent, part) => computeHmac(parent, part), `AWS4${secretAccessKey}`);
  return computeHmac(key, text).toString('hex');
}

function computeHmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The canonical request: the form of a request that both sides sign. */
function buildCanonicalRequest({ method, url, headers }: SignedRequest, names: readonly string[]): string {
  const [path = '', query = ''] = url.split('?');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  return [
    method,
    path.split('/').map(toCanonicalText).join('/'),
    query.split('&').filter(Boolean).map(toCanonicalParameter).sort().join('&'),
    lines.join(''),
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n');
}

function toCanonicalParameter(parameter: string): string {
  const [name = '', value = ''] = parameter.split('=');
  return `${toCanonicalText(name)}=${toCanonicalText(value)}`;
}

/** Percent-encodes everything that RFC 3986 does not call unreserved. */
function toCanonicalText(sent: string): string {
  const encoded = encodeURIComponent(decodeURIComponent(sent));
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
