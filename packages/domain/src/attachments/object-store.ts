import { S3mini } from 's3mini';
import type { BlobStoreSetting } from '../config/blob-store-setting.js';

/** Stores content as objects, outside Postgres. */
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
export function openObjectStore(setting: BlobStoreSetting): ObjectStore | null {
  if (setting.kind === 'postgres') return null;
  const { endpoint, region, accessKeyId, secretAccessKey } = setting;
  const client = new S3mini({ endpoint, region, accessKeyId, secretAccessKey, requestAbortTimeout: TIMEOUT_MS });
  return {
    async put(key, bytes) {
      await (await client.putObject(key, bytes)).arrayBuffer();
    },
    // Ranges keep every request short, however slowly a mail server takes the message.
    async get(key, from, to) {
      return Buffer.from(await (await client.getObjectRaw(key, false, from, to)).arrayBuffer());
    },
    async delete(key) {
      await client.deleteObject(key);
    },
  };
}
