// Runs in a thread of its own, so that parsing a large body does not keep other requests waiting.
import { parentPort } from 'node:worker_threads';
import { JsonError, type JsonFault } from './json-error.js';
import type { JsonLimits } from './json-limits.js';
import { parseJson } from './parse-json.js';

export type ParseJob = { readonly id: number; readonly bytes: Uint8Array; readonly limits: JsonLimits };
export type ParseReply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly fault: JsonFault }
  | { readonly error: unknown }
);

parentPort?.on('message', ({ id, bytes, limits }: ParseJob) => {
  parentPort?.postMessage(replyTo(id, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), limits));
});

function replyTo(id: number, bytes: Buffer, limits: JsonLimits): ParseReply {
  try {
    return { id, value: parseJson(bytes, limits) };
  } catch (error) {
    return error instanceof JsonError ? { id, fault: error.fault } : { id, error };
  }
}
