import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HttpRefusal } from '../http-errors.js';
import { MAX_SMALL_BODY_BYTES } from '../load-limits/byte-budget.js';
import { contentLengthOf } from './has-body.js';

const decompressors = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** The rest of a larger body is read with a pause after each chunk of 64 kB. */
const MAX_BYTES_WITHOUT_PAUSE = 1_000_000;
const PAUSE_MS = 1;

export type ReadLimits = {
  readonly maxBytes: number;
  /** Reserves bytes for a large body before they are kept. Throws if there is no room for them. */
  readonly reserve: (bytes: number) => void;
};

/**
 * Reads the body, and decompresses it if needed. A declared length is reserved up front, so that a body for which
 * there is no room is refused before it is sent. Bytes of other bodies are reserved as they arrive.
 * @throws Refusal body_too_large, unsupported_media_type, malformed_json, and what `reserve` throws
 */
export async function readBytes(request: IncomingMessage, { maxBytes, reserve }: ReadLimits): Promise<Buffer> {
  const stream = decompressed(request);
  const declared = stream === request ? contentLengthOf(request) : 0;
  if (declared > maxBytes) throw new HttpRefusal('body_too_large', { maxBytes });
  let reserved = MAX_SMALL_BODY_BYTES;
  const count = (length: number) => {
    if (length > maxBytes) throw new HttpRefusal('body_too_large', { maxBytes });
    if (length <= reserved) return;
    reserve(reserved === MAX_SMALL_BODY_BYTES ? length : length - reserved);
    reserved = length;
  };
  count(declared);
  return collect(request, stream, count);
}

function collect(request: IncomingMessage, stream: Readable, count: (length: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      try {
        count(length);
        chunks.push(chunk);
        if (length > MAX_BYTES_WITHOUT_PAUSE) pauseFor(stream, PAUSE_MS);
      } catch (error) {
        stream.removeAllListeners('data');
        chunks.length = 0;
        if (stream !== request) stream.destroy();
        reject(error);
      }
    });
    stream.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const fail = () =>
      reject(new HttpRefusal('malformed_json', { reason: 'it ended early or could not be decompressed' }));
    request.on('error', fail);
    if (stream !== request) stream.on('error', fail);
  });
}

/** Lets other requests be read first. Node would read up to 2 MB of one connection in one go. */
function pauseFor(stream: Readable, ms: number): void {
  stream.pause();
  setTimeout(() => stream.resume(), ms);
}

function decompressed(request: IncomingMessage): Readable {
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity') return request;
  if (!Object.hasOwn(decompressors, coding)) {
    throw new HttpRefusal('unsupported_media_type', {
      reason: 'The body must be uncompressed or have the Content-Encoding gzip, deflate or br',
    });
  }
  return request.pipe(decompressors[coding as keyof typeof decompressors]());
}
