import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from './journal.js';

const REQUEST_MS = 15_000;
const RETRY_MS = 100;
/** By then every fault of a scenario is over. */
const GIVE_UP_MS = 90_000;

/** One answer, or its absence, as the client saw it. */
export type SendResponse = {
  readonly at: number;
  readonly ms: number;
  readonly to: readonly string[];
  readonly key: string | null;
  /** null: no answer came, or it was cut off. */
  readonly status: number | null;
  /** Nobody listened: surely nothing was stored. */
  readonly refused: boolean;
  readonly body: string;
};

/** What one POST was about; `api` is asked each time, so that a retry may go to another process. */
export type SendRequest = {
  readonly api: () => string;
  readonly authorization: string;
  readonly to: readonly string[];
  readonly key?: string | null;
  readonly extra?: object;
};

export type Client = {
  readonly journal: Journal<SendResponse>;
  /**
   * As a good client does it: with a key it repeats what got no answer or a 5xx until it knows;
   * without one it repeats only what nobody can have heard. @returns the last answer
   */
  post(post: SendRequest): Promise<SendResponse>;
  /**
   * `inFlight` posts at a time until `next` says there are no more, with a pause after each answer.
   * @returns the last answer of each
   */
  load(inFlight: number, next: () => SendRequest | null, pauseMs?: number): Promise<SendResponse[]>;
};

/** @param canary goes into every subject and body, and must come up in no log */
export function createClient(journal: Journal<SendResponse>, canary: string): Client {
  async function once(post: SendRequest): Promise<SendResponse> {
    const { to, key = null, extra = {} } = post;
    const body = JSON.stringify({ to, subject: canary, text: canary, ...extra });
    const startedAt = performance.now();
    const end = async (status: number | null, text: string, refused = false): Promise<SendResponse> => {
      const answer = { at: Date.now(), ms: performance.now() - startedAt, to, key, status, refused, body: text };
      await journal.write(answer);
      return answer;
    };
    try {
      const response = await fetch(`${post.api()}/api/v1/emails`, {
        method: 'POST',
        signal: AbortSignal.timeout(REQUEST_MS),
        headers: {
          Authorization: post.authorization,
          'Content-Type': 'application/json',
          ...(key && { 'Idempotency-Key': key }),
        },
        body,
      });
      return await end(response.status, await response.text());
    } catch (error) {
      return end(null, '', (error as { cause?: { code?: unknown } }).cause?.code === 'ECONNREFUSED');
    }
  }

  async function post(asked: SendRequest): Promise<SendResponse> {
    for (const deadline = Date.now() + GIVE_UP_MS; ; await sleep(RETRY_MS)) {
      const answer = await once(asked);
      const isKnown = answer.status !== null && answer.status < 500 && !isInProgress(answer);
      const mayRepeat = asked.key || answer.refused;
      if (isKnown || !mayRepeat || Date.now() > deadline) return answer;
    }
  }

  return {
    journal,
    post,
    async load(inFlight, next, pauseMs = 0) {
      const answers: SendResponse[] = [];
      const work = async () => {
        for (let asked = next(); asked !== null; asked = next()) {
          answers.push(await post(asked));
          if (pauseMs > 0) await sleep(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: inFlight }, work));
      return answers;
    },
  };
}

function isInProgress({ status, body }: SendResponse): boolean {
  return status === 409 && body.includes('idempotency_in_progress');
}

export function newIdempotencyKey(): string {
  return randomUUID();
}

/** The id of the email that an answer speaks of. */
export function emailIdOf({ body }: SendResponse): string {
  return (JSON.parse(body) as { id: string }).id;
}
