import { Pool } from 'undici';
import type { ReceiverGuard } from './receiver-guard.js';

export type PostResult = {
  readonly status: number | null;
  readonly body: string;
  readonly retryAfterSeconds: number | null;
  readonly error: string | null;
  readonly ms: number;
};

export type Receiver = {
  post(request: { headers: Readonly<Record<string, string>>; body: string }): Promise<PostResult>;
  close(): Promise<void>;
};

export function openReceiver(
  guard: ReceiverGuard,
  text: string,
  { maxConnections }: { maxConnections: number },
): Receiver {
  const url = new URL(text);
  const pool = new Pool(url.origin, {
    connections: maxConnections,
    connect: { lookup: guard.lookup, timeout: 15_000 },
  });
  const path = `${url.pathname}${url.search}`;
  return {
    async post({ headers, body }) {
      const startedAt = performance.now();
      const ms = () => performance.now() - startedAt;
      try {
        const response = await pool.request({
          path,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Posthorn' },
          body,
          signal: AbortSignal.timeout(15_000),
        });
        const { statusCode: status } = response;
        const answer = (await response.body.text()).slice(0, 4_000);
        const error = status >= 200 && status < 300 ? null : `The receiver answered ${status}`;
        const after = Number(response.headers['retry-after']);
        return { status, body: answer, retryAfterSeconds: Number.isNaN(after) ? null : after, error, ms: ms() };
      } catch (error) {
        return { status: null, body: '', retryAfterSeconds: null, error: (error as Error).message, ms: ms() };
      }
    },
    close: () => pool.close(),
  };
}
