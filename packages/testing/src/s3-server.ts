import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import S3rver from 's3rver';
import { type S3Credentials, type SignatureFault, s3SignatureFault } from './s3-signature.js';
import { until } from './until.js';

export type S3ServerOptions = S3Credentials & {
  /** Keeps the objects, even if the server dies. */
  readonly folder: string;
  /** Any free port if omitted. */
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
    const fault = status ? DENIED : s3SignatureFault({ method, url, headers }, credentials);
    // S3rver knows no keys but its own, and cannot check this kind of signature.
    delete headers.authorization;
    void (fault ? refuse(request, response, { ...fault, status: status ?? 403 }) : answer(request, response));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    blobStore: (others) => blobStoreOf({ ...credentials, ...others }, address.port),
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

function blobStoreOf({ accessKeyId, secretAccessKey, region }: S3Credentials, port: number): string {
  const login = `${encodeURIComponent(accessKeyId)}:${encodeURIComponent(secretAccessKey)}`;
  return `s3://${login}@127.0.0.1:${port}/${BUCKET}?insecure=1&region=${region}`;
}

/** The objects in the folder of an S3 server, whether or not it is running. */
export async function listS3Objects(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, BUCKET), { recursive: true });
  return names.filter((name) => name.endsWith(OBJECT_SUFFIX)).map((name) => name.slice(0, -OBJECT_SUFFIX.length));
}
