import { storableText } from '@posthorn/platform/postgres';
import type { Dispatcher } from 'undici';
import { describeFailure, describeStatus, describeTimeout, describeUnexpectedStatus } from './describe-failure.js';
import { retryAfterSeconds } from './retry-after.js';

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

export type PostHandlerOptions = {
  readonly host: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
};

const OVER = 'The attempt is over';

/** Creating a decoder takes longer than most of an attempt. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Follows one request. It calls `settle` exactly once, and then closes the connection unless it can be used again. */
export class PostHandler implements Dispatcher.DispatchHandler {
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
      this.#retryAfter = retryAfterSeconds([header].flat()[0], this.#options.now().getTime());
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
