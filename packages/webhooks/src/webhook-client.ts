import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants, inflateRawSync, unzipSync } from 'node:zlib';
import { limits } from '@posthorn/domain/limits';
import { toStorableText } from '@posthorn/platform/postgres';
import { type buildConnector, type Dispatcher, Pool } from 'undici';
import {
  describeFailure,
  describeInterimResponses,
  describeStatus,
  describeTimeout,
  describeUnexpectedStatus,
} from './describe-failure.js';
import { skipContinue } from './interim-responses.js';
import { limitResponseBytes } from './response-bytes.js';
import { createGuardedConnector, type SsrfGuard } from './ssrf-guard.js';

/**
 * @property body is sent as it is, byte for byte, because its signature is in the headers
 * @property path with the query; by default, that of the client's URL
 */
type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly path?: string };

/** Posts to the host of a URL, over connections that stay open between posts. */
export type WebhookClient = {
  /**
   * Makes one attempt, without retries and without following redirects. It never rejects because of the receiver. The
   * timeout includes the time that a post waits for a connection, so there should not be more posts than connections.
   */
  post(post: Post): Promise<PostResult>;
  /** Waits for posts that have begun, and closes all connections. */
  close(): Promise<void>;
};

/** @property timeoutMs for a whole attempt: looking up the name, connecting, sending and reading the response */
type WebhookClientOptions = {
  readonly maxConnections: number;
  readonly timeoutMs?: number;
  readonly now?: () => Date;
};

/**
 * @param url one that `checkWebhookUrl` accepted. Its host is checked again for each connection
 * @throws TypeError if the text is not a URL, and an error of undici if it is neither http nor https
 */
export function createWebhookClient(guard: SsrfGuard, url: string, options: WebhookClientOptions): WebhookClient {
  const parsed = new URL(url);
  // The name that TLS sends must not end with a dot (RFC 6066, 3).
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  const { timeoutMs = limits.webhookSeconds.max * 1_000, now = () => new Date() } = options;
  // The timer of each attempt replaces the timeouts of undici.
  const pool = new Pool(parsed.origin, {
    connections: options.maxConnections,
    connect: limitResponseBytes(
      toTolerantConnector(createGuardedConnector(guard, { url: parsed, timeoutMs })),
      MAX_RESPONSE_BYTES,
    ),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const ownPath = parsed.pathname + parsed.search;
  const handler: PostHandlerOptions = {
    host: parsed.hostname,
    timeoutMs,
    maxBodyBytes: limits.webhookResponse.max,
    now,
  };
  return {
    post: ({ headers, body, path = ownPath }) =>
      new Promise((settle) => {
        pool.dispatch(
          { method: 'POST', path, headers: buildHeaders(headers), body },
          createPostHandler(handler, settle),
        );
      }),
    close: () => pool.close(),
  };
}

function toTolerantConnector(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      skipContinue(socket);
      callback(null, socket);
    });
}

/** Names and values in turn, which undici takes too. With Node 20, spreading into a new object takes ten times as long. */
function buildHeaders(headers: Post['headers']): string[] {
  const all = ['content-type', 'application/json', 'user-agent', 'Posthorn'];
  for (const [name, value] of Object.entries(headers)) all.push(name, value);
  return all;
}

/** How an attempt to post to a receiver ended. */
export type PostResult = {
  /** Null if no response arrived. */
  readonly status: number | null;
  /** The start of the response as text that Postgres can store. */
  readonly body: string;
  /** Whether the response was longer than `body`. */
  readonly bodyTruncated: boolean;
  readonly retryAfterSeconds: number | null;
  /** A sentence without a full stop, or null if the receiver answered with a 2xx. */
  readonly error: string | null;
  readonly ms: number;
};

type PostHandlerOptions = {
  readonly host: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
};

const OVER = 'The attempt is over';

/** Of 102 and 103. A receiver that needs more than a few to say that it is still working takes too long. */
const MAX_INTERIM_RESPONSES = 10;
/** Enough for that many interim responses and the response, each with all the header fields that undici takes. */
const MAX_RESPONSE_BYTES = 256_000;

/** Creating a decoder takes longer than most of an attempt. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** What a receiver has sent so far. */
type Received = {
  interimResponses: number;
  status: number | null;
  retryAfterSeconds: number | null;
  bytes: number;
  readonly chunks: Buffer[];
  headers: Record<string, string | string[] | undefined>;
};

/** Follows one request. It calls `settle` exactly once, and then closes the connection unless it can be used again. */
function createPostHandler(
  options: PostHandlerOptions,
  settle: (result: PostResult) => void,
): Dispatcher.DispatchHandler {
  const { timeoutMs, maxBodyBytes, now } = options;
  const startedAt = performance.now();
  const received: Received = {
    interimResponses: 0,
    status: null,
    retryAfterSeconds: null,
    bytes: 0,
    chunks: [],
    headers: {},
  };
  let connection: Dispatcher.DispatchController | null = null;
  let isSettled = false;
  const timer = setTimeout(() => abandon(describeTimeout(timeoutMs, received.status)), timeoutMs);

  function finish(error: string | null): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    settle({ ...toResponse(received, maxBodyBytes), error, ms: Math.round(performance.now() - startedAt) });
  }

  /** Ends the attempt before the response is complete. The connection cannot be used again. */
  function abandon(error: string | null): void {
    finish(error);
    connection?.abort(new Error(OVER));
  }

  return {
    onRequestStart(controller) {
      connection = controller;
      // The request waited for a connection until its time was over. Throwing keeps the connection for the next one.
      if (isSettled) throw new Error(OVER);
    },
    onResponseStart(_, status, headers) {
      if (status >= 200) return readHead(received, { status, headers }, now());
      const fault = countInterimResponse(received, status);
      if (fault !== null) abandon(fault);
    },
    onResponseData(_, chunk) {
      if (isSettled) return;
      received.chunks.push(chunk);
      received.bytes += chunk.length;
      if (received.bytes > maxBodyBytes) abandon(describeStatus(received.status ?? 0));
    },
    onResponseEnd: () => finish(describeStatus(received.status ?? 0)),
    onResponseError: (_, error) => finish(describeFailure(error, options)),
  };
}

/** An interim response, such as 103, is not the answer. @returns why it ends the attempt, or null */
function countInterimResponse(received: Received, status: number): string | null {
  received.interimResponses += 1;
  // No HTTP follows a switch to another protocol.
  if (status === 101) return describeUnexpectedStatus(status);
  return received.interimResponses > MAX_INTERIM_RESPONSES ? describeInterimResponses(MAX_INTERIM_RESPONSES) : null;
}

function readHead(received: Received, { status, headers }: Pick<Received, 'status' | 'headers'>, now: Date): void {
  received.status = status;
  received.headers = headers;
  const retryAfter = headers['retry-after'];
  if (retryAfter !== undefined) received.retryAfterSeconds = parseRetryAfter([retryAfter].flat()[0], now.getTime());
}

function toResponse({ status, retryAfterSeconds, bytes, chunks, headers }: Received, maxBytes: number) {
  if (bytes === 0) return { status, body: '', bodyTruncated: false, retryAfterSeconds };
  const whole = decompress(Buffer.concat(chunks), String(headers['content-encoding'] ?? ''), maxBytes);
  const body = decode(whole, maxBytes, String(headers['content-type'] ?? ''));
  return { status, body, bodyTruncated: bytes > maxBytes || whole.length > maxBytes, retryAfterSeconds };
}

/** Each takes up to a millisecond to undo, so what has more stays as it is. */
const MAX_ENCODINGS = 3;

/** Some receivers compress although the request does not ask for it. The last encoding is undone first (RFC 9110, 8.4). */
function decompress(received: Buffer, contentEncoding: string, maxBytes: number): Buffer {
  const encodings = contentEncoding.split(',');
  if (encodings.length > MAX_ENCODINGS) return received;
  return encodings.reduceRight((bytes, encoding) => undoEncoding(bytes, encoding, maxBytes), received);
}

/** The response may have been cut. */
function undoEncoding(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  const finishFlush = constants.Z_SYNC_FLUSH;
  const maxOutputLength = MAX_DECOMPRESSION_RATIO * maxBytes;
  try {
    switch (encoding.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return unzipSync(bytes, { finishFlush, maxOutputLength });
      case 'deflate':
        // Some servers leave out the header of zlib, which begins with an 8.
        return ((bytes[0] ?? 0) & 0x0f) === 8
          ? unzipSync(bytes, { finishFlush, maxOutputLength })
          : inflateRawSync(bytes, { finishFlush, maxOutputLength });
      case 'br':
        return brotliDecompressSync(bytes, {
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
          maxOutputLength,
        });
      default:
        return bytes;
    }
  } catch {
    return bytes;
  }
}

/** How many times as long as what is stored. A small response could otherwise become gigabytes. */
const MAX_DECOMPRESSION_RATIO = 100;

function decode(bytes: Buffer, maxBytes: number, contentType: string): string {
  const [, named] = /;\s*charset=["']?([\w.:-]+)/i.exec(contentType) ?? [];
  const charset = named ?? guessCharset(bytes, maxBytes);
  if (bytes.length <= maxBytes && /^utf-?8$/i.test(charset)) return toStorableText(decoder.decode(bytes));
  // With `stream`, a decoder drops a character that was cut in half. It keeps the half, so it is not used again.
  return toStorableText(createDecoder(charset).decode(bytes.subarray(0, maxBytes), { stream: true }));
}

const BINARY = /[^\P{Cc}\t\n\r]/u;

/** Old servers write Latin-1 without saying so. Text in it is hardly ever valid UTF-8. */
function guessCharset(bytes: Buffer, maxBytes: number): string {
  const start = bytes.subarray(0, maxBytes);
  if (isUtf8(start)) return 'utf-8';
  try {
    // Only a text that was cut may end inside a character.
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: start.length < bytes.length });
    return 'utf-8';
  } catch {
    return BINARY.test(new TextDecoder('windows-1252').decode(start)) ? 'utf-8' : 'windows-1252';
  }
}

function createDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true });
  }
}

/** The only three formats of dates in HTTP (RFC 9110, 5.6.7). The last one names no time zone. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3).
 *
 * @param now in milliseconds since 1970
 * @returns seconds from now, up to `limits.webhookRetryAfterSeconds`, or null if the header is missing or not valid
 */
function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((parseHttpDate(text) - now) / 1_000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), limits.webhookRetryAfterSeconds.max);
}

function parseHttpDate(text: string): number {
  if (HTTP_DATE.test(text)) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
