import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Response } from 'express';
import { type BodyBudget, MAX_SMALL_BODY_BYTES } from './body-budget.js';
import { HttpRefusal } from './http-errors.js';

const decompressors = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** The rest of a larger body is read with a pause after each chunk of 64 kB. */
const MAX_BYTES_WITHOUT_PAUSE = 1_000_000;

const PAUSE_MS = 1;

/**
 * A large body takes memory while it arrives. So every three seconds it must grow by at least a tenth. A client
 * that sends steadily manages this for the 30 seconds that a request can take.
 */
const PACE_CHECK_MS = 3_000;

const MIN_GROWTH = 0.1;

export type ReadLimits = { readonly maxBytes: number; readonly bodies: BodyBudget };

/**
 * Reads the body, and decompresses it if needed. If there is no room for the declared length, the body is refused
 * before it is read. A large body is counted as it arrives.
 * @throws Refusal body_too_large, unsupported_media_type, malformed_json, body_too_slow, and what `bodies` throws
 */
export async function readBytes(request: IncomingMessage, response: Response, limits: ReadLimits): Promise<Buffer> {
  const stream = decompress(request);
  const declared = stream === request ? getContentLength(request) : 0;
  // A body whose Content-Length is too large is refused before it is read.
  assertSize(declared, limits);
  if (declared > MAX_SMALL_BODY_BYTES) limits.bodies.expect(response, declared);
  return collect({ request, response, stream }, limits);
}

function assertSize(length: number, { maxBytes }: ReadLimits): void {
  if (length > maxBytes) throw new HttpRefusal('body_too_large', { maxBytes });
}

type Source = { readonly request: IncomingMessage; readonly response: Response; readonly stream: Readable };

function collect({ request, response, stream }: Source, limits: ReadLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let taken = 0;
    let paceCheck: NodeJS.Timeout | undefined;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      try {
        assertSize(length, limits);
        if (length > MAX_SMALL_BODY_BYTES) takeArrived();
        chunks.push(chunk);
        if (length > MAX_BYTES_WITHOUT_PAUSE) pauseFor(stream, PAUSE_MS);
      } catch (error) {
        refuse(error);
      }
    });
    stream.on('end', () => {
      clearInterval(paceCheck);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    const fail = () =>
      refuse(new HttpRefusal('malformed_json', { reason: 'it ended early or could not be decompressed' }));
    request.on('error', fail);
    if (stream !== request) stream.on('error', fail);

    function takeArrived(): void {
      limits.bodies.reserve(response, length - taken);
      taken = length;
      paceCheck ??= setInterval(
        buildSlowBodyCheck(() => length, refuse),
        PACE_CHECK_MS,
      );
    }

    function refuse(error: unknown): void {
      clearInterval(paceCheck);
      stream.removeAllListeners('data');
      chunks.length = 0;
      limits.bodies.drop(response);
      if (stream !== request) stream.destroy();
      reject(error);
    }
  });
}

/** Returns a function to call every `PACE_CHECK_MS`. It refuses a body that has hardly grown since the last call. */
function buildSlowBodyCheck(arrived: () => number, refuse: (error: unknown) => void): () => void {
  let before = arrived();
  return () => {
    const bytes = arrived() - before;
    const minBytes = Math.ceil(before * MIN_GROWTH);
    if (bytes < minBytes) refuse(new HttpRefusal('body_too_slow', { seconds: PACE_CHECK_MS / 1_000, bytes, minBytes }));
    before += bytes;
  };
}

/** Lets other requests be read first. Otherwise, Node would read up to 2 MB from one connection in one go. */
function pauseFor(stream: Readable, ms: number): void {
  stream.pause();
  setTimeout(() => stream.resume(), ms);
}

function decompress(request: IncomingMessage): Readable {
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity') return request;
  if (!Object.hasOwn(decompressors, coding)) {
    throw new HttpRefusal('unsupported_media_type', {
      reason: 'The body must be uncompressed or have the Content-Encoding gzip, deflate or br',
    });
  }
  return request.pipe(decompressors[coding as keyof typeof decompressors]());
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || getContentLength(request) > 0;
}

/** The Content-Length that the client declares, or 0 if there is none. Node accepts only digits here. */
export function getContentLength(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}
