import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TimeLimitError } from '@posthorn/testing';
import type { Journal } from './journal.js';

const REQUEST_MS = 15_000;
const RETRY_MS = 100;
/** Longer than the fault in any scenario lasts. */
const GIVE_UP_MS = 90_000;

/** What the client saw of one request. */
export type SendResponse = {
  readonly at: number;
  readonly ms: number;
  readonly to: readonly string[];
  /** In a batch, the one recipient of each of the other emails. */
  readonly others: readonly string[];
  readonly key: string | null;
  /** Null if no complete response arrived. */
  readonly status: number | null;
  /** The connection was refused, so the API cannot have stored anything. */
  readonly refused: boolean;
  /** The client stopped waiting. */
  readonly timedOut: boolean;
  readonly body: string;
};

/** A request for one email, or for a batch with `others`. Retries call `api` again, so they may use another process. */
export type SendRequest = {
  readonly api: () => string;
  readonly authorization: string;
  readonly to: readonly string[];
  readonly others?: readonly string[];
  readonly key?: string | null;
  readonly extra?: object;
};

export type Client = {
  readonly journal: Journal<SendResponse>;
  /**
   * Sends a request as a careful client would. With a key, it retries until it has a final response. Without one, it
   * retries only if the connection was refused.
   * @returns the last response
   * @throws TimeLimitError if the service stays unavailable
   */
  send(request: SendRequest): Promise<SendResponse>;
  /**
   * Keeps `inFlight` requests under way until `next` returns null, pausing after each response.
   * @returns the last response to each request
   */
  load(inFlight: number, next: () => SendRequest | null, pauseMs?: number): Promise<SendResponse[]>;
};

/** @param canary text that goes into every subject and body, and must not appear in any log */
export function createClient(journal: Journal<SendResponse>, canary: string): Client {
  async function sendOnce(request: SendRequest): Promise<SendResponse> {
    const { to, others = [], key = null } = request;
    const startedAt = performance.now();
    const outcome = await post(request, canary);
    const response = { at: Date.now(), ms: performance.now() - startedAt, to, others, key, ...outcome };
    await journal.write(response);
    return response;
  }

  async function send(request: SendRequest): Promise<SendResponse> {
    for (const deadline = Date.now() + GIVE_UP_MS; ; await sleep(RETRY_MS)) {
      const response = await sendOnce(request);
      const isFinal = response.status !== null && response.status < 500 && !isInProgress(response);
      const mayRetry = request.key || response.refused;
      if (isFinal || !mayRetry) return response;
      if (Date.now() <= deadline) continue;
      if (isUnavailable(response))
        throw new TimeLimitError(
          `A request got no final response in ${GIVE_UP_MS / 1_000} s; the last status was ${response.status ?? 'none'}`,
        );
      return response;
    }
  }

  async function sendAll(inFlight: number, next: () => SendRequest | null, pauseMs: number): Promise<SendResponse[]> {
    const responses: SendResponse[] = [];
    const sendNext = async () => {
      for (let request = next(); request !== null; request = next()) {
        responses.push(await send(request));
        if (pauseMs > 0) await sleep(pauseMs);
      }
    };
    const senders = await Promise.allSettled(Array.from({ length: inFlight }, sendNext));
    for (const sender of senders) if (sender.status === 'rejected') throw sender.reason;
    return responses;
  }

  return {
    journal,
    send,
    load(inFlight, next, pauseMs = 0) {
      const responses = sendAll(inFlight, next, pauseMs);
      // Callers may await this later. Until then, a rejection must not end the process.
      responses.catch(() => {});
      return responses;
    },
  };
}

type PostOutcome = Pick<SendResponse, 'status' | 'refused' | 'timedOut' | 'body'>;

async function post(request: SendRequest, canary: string): Promise<PostOutcome> {
  const { api, authorization, to, others, key, extra } = request;
  const email = { to, subject: canary, text: canary, ...extra };
  const body = others ? [email, ...others.map((address) => ({ ...email, to: [address] }))] : email;
  try {
    const response = await fetch(`${api()}/api/v1/emails${others ? '/batch' : ''}`, {
      method: 'POST',
      signal: AbortSignal.timeout(REQUEST_MS),
      headers: {
        Authorization: authorization,
        'Content-Type': 'application/json',
        ...(key && { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, refused: false, timedOut: false, body: await response.text() };
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    return { status: null, refused: cause?.code === 'ECONNREFUSED', timedOut: name === 'TimeoutError', body: '' };
  }
}

function isInProgress({ status, body }: SendResponse): boolean {
  return status === 409 && body.includes('idempotency_in_progress');
}

/** Unlike a 500, these statuses only mean that the client did not wait long enough. */
function isUnavailable(response: SendResponse): boolean {
  return response.status === null || response.status === 503 || isInProgress(response);
}

export function newIdempotencyKey(): string {
  return randomUUID();
}

/** The id of the email in a response, or of the first one of a batch. */
export function readEmailId(response: SendResponse): string {
  return readEmailIds(response)[0] as string;
}

/** The ids of the emails in a response, in the order of the request. */
export function readEmailIds({ body }: SendResponse): string[] {
  const accepted = JSON.parse(body) as { id: string } | { data: ReadonlyArray<{ id: string }> };
  return ('data' in accepted ? accepted.data : [accepted]).map(({ id }) => id);
}
