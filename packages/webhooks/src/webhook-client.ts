import { limits } from '@posthorn/domain/limits';
import { storableText } from '@posthorn/platform/postgres';
import { type Dispatcher, Pool } from 'undici';
import { describeFailure, describeStatus, describeTimeout, describeUnexpectedStatus } from './describe-failure.js';
import { createGuardedConnector, type SsrfGuard } from './ssrf-guard.js';

/** @property body is sent as it is, byte for byte, because its signature is in the headers */
type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** Posts to the URL of one webhook, over connections that stay open between posts. */
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
export function openWebhookClient(guard: SsrfGuard, url: string, options: WebhookClientOptions): WebhookClient {
  const parsed = new URL(url);
  // The name that TLS sends must not end with a dot (RFC 6066, 3).
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  const { timeoutMs = limits.webhookSeconds.max * 1_000, now = () => new Date() } = options;
  // The timer of each attempt replaces the timeouts of undici.
  const pool = new Pool(parsed.origin, {
    connections: options.maxConnections,
    connect: createGuardedConnector(guard, { url: parsed, timeoutMs }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const path = parsed.pathname + parsed.search;
  const handler: PostHandlerOptions = {
    host: parsed.hostname,
    timeoutMs,
    maxBodyBytes: limits.webhookResponse.max,
    now,
  };
  return {
    post: ({ headers, body }) =>
      new Promise((settle) => {
        pool.dispatch({ method: 'POST', path, headers: buildHeaders(headers), body }, new PostHandler(handler, settle));
      }),
    close: () => pool.close(),
  };
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

/** Creating a decoder takes longer than most of an attempt. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Follows one request. It calls `settle` exactly once, and then closes the connection unless it can be used again. */
class PostHandler implements Dispatcher.DispatchHandler {
  readonly #options: PostHandlerOptions;
  readonly #settle: (result: PostResult) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status: number | null = null;
  #retryAfter: number | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;

  constructor(options: PostHandlerOptions, settle: (result: PostResult) => void) {
    this.#options = options;
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#timeOut(), options.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request waited for a connection until its time was over. Throwing keeps the connection for the next one.
    if (this.#isSettled) throw new Error(OVER);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>): void {
    // No HTTP follows a switch to another protocol.
    if (status === 101) this.#abandon(describeUnexpectedStatus(status));
    // An interim response, such as 103, is not the answer.
    if (status < 200) return;
    this.#status = status;
    const header = headers['retry-after'];
    if (header !== undefined) {
      this.#retryAfter = parseRetryAfter([header].flat()[0], this.#options.now().getTime());
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#isTruncated()) this.#abandon(describeStatus(this.#status ?? 0));
  }

  onResponseEnd(): void {
    this.#finish(describeStatus(this.#status ?? 0));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(describeFailure(error, this.#options));
  }

  #timeOut(): void {
    this.#abandon(describeTimeout(this.#options.timeoutMs, this.#status));
  }

  /** Ends the attempt before the response is complete. The connection cannot be used again. */
  #abandon(error: string | null): void {
    this.#finish(error);
    this.#controller?.abort(new Error(OVER));
  }

  #finish(error: string | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#settle({
      status: this.#status,
      body: this.#bytes === 0 ? '' : this.#text(),
      bodyTruncated: this.#isTruncated(),
      retryAfterSeconds: this.#retryAfter,
      error,
      ms: Math.round(performance.now() - this.#startedAt),
    });
  }

  #isTruncated(): boolean {
    return this.#bytes > this.#options.maxBodyBytes;
  }

  #text(): string {
    const bytes = Buffer.concat(this.#chunks);
    if (!this.#isTruncated()) return storableText(decoder.decode(bytes));
    // With `stream`, a decoder drops a character that was cut in half. It keeps the half, so it is not used again.
    const cut = bytes.subarray(0, this.#options.maxBodyBytes);
    return storableText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(cut, { stream: true }));
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
