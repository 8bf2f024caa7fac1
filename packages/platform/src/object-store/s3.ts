import type { BlobStoreSetting } from '@posthorn/platform/config';
import { ObjectStoreUnavailable } from '@posthorn/platform/postgres';
import { S3mini, S3ServiceError } from 's3mini';

/** Stores content as objects, outside Postgres. @throws ObjectStoreUnavailable if it is worth trying again */
export type ObjectStore = {
  put(key: string, bytes: Buffer): Promise<void>;
  /** The bytes from `from` up to but not including `to`. @throws Error if there is no such object */
  get(key: string, from: number, to: number): Promise<Buffer>;
  /** Succeeds if there is no such object. */
  delete(key: string): Promise<void>;
};

/** For one request of up to 10 MB. */
const TIMEOUT_MS = 30_000;

/** @returns null if content is stored in Postgres */
export function createObjectStore(setting: BlobStoreSetting): ObjectStore | null {
  if (setting.kind === 'postgres') return null;
  const { endpoint, region, accessKeyId, secretAccessKey } = setting;
  const client = new S3mini({ endpoint, region, accessKeyId, secretAccessKey, requestAbortTimeout: TIMEOUT_MS });
  return {
    async put(key, bytes) {
      await whileAvailable(async () => (await client.putObject(key, bytes)).arrayBuffer());
    },
    // Ranges keep every request short, however slowly a mail server accepts the message.
    async get(key, from, to) {
      const read = async () => (await client.getObjectRaw(key, false, from, to)).arrayBuffer();
      return Buffer.from(await whileAvailable(read));
    },
    async delete(key) {
      await whileAvailable(() => client.deleteObject(key));
    },
  };
}

async function whileAvailable<Result>(request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    throw isRefusal(error) ? error : new ObjectStoreUnavailable(error);
  }
}

/** A response to this request, such as 403 or 404. Everything else is a broken connection or a failing server. */
function isRefusal(error: unknown): boolean {
  return error instanceof S3ServiceError && error.status < 500 && error.status !== TOO_MANY_REQUESTS;
}

const TOO_MANY_REQUESTS = 429;
