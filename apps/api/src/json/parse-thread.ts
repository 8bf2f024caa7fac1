// Runs in a thread of its own, so that parsing a large body does not keep other requests waiting.
import { serveJobs } from '@posthorn/threads';
import { JsonError, type JsonFault } from './json-fault.js';
import { type JsonLimits, parseJson } from './parse-json.js';

export type ParseJob = { readonly bytes: Uint8Array; readonly limits: JsonLimits };

export type ParseResult = { readonly value: unknown } | { readonly fault: JsonFault };

serveJobs<ParseJob, ParseResult>(({ bytes, limits }) => {
  try {
    return { value: parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), limits) };
  } catch (error) {
    if (error instanceof JsonError) return { fault: error.fault };
    throw error;
  }
});
