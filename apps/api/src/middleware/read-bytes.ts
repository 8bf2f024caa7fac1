import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HttpRefusal } from '../http-errors.js';

const decompressors = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/**
 * Reads the body, and decompresses it if needed.
 * @throws Refusal body_too_large, unsupported_media_type, malformed_json
 */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = decompressed(request);
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      stream.off('data', onData);
      if (stream !== request) stream.destroy();
      // A client that is still sending would not read the response yet.
      drain(request, () => reject(new HttpRefusal('body_too_large', { maxBytes })));
    };
    stream.on('data', onData);
    stream.on('end', () => {
      if (length <= maxBytes) resolve(Buffer.concat(chunks));
    });
    const fail = () =>
      reject(new HttpRefusal('malformed_json', { reason: 'it ended early or could not be decompressed' }));
    request.on('error', fail);
    if (stream !== request) stream.on('error', fail);
  });
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

/** Reads the rest of the body and discards it. */
function drain(request: IncomingMessage, then: () => void): void {
  request.unpipe();
  request.resume();
  if (request.readableEnded) then();
  else request.once('end', then);
}
