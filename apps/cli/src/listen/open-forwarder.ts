import { encodeWebhookBody } from '@posthorn/domain/webhooks';
import { createSigner } from '@posthorn/webhooks';
import type { ApiEvent } from './follow-events.js';

/** How a receiver answered. `status` is null if it did not. */
export type Forwarded = { readonly status: number | null; readonly ms: number; readonly error?: string };

const TIMEOUT_MS = 15_000;

/**
 * Posts events like a webhook does, with the same headers and bodies, but without retries.
 * @param url may lead to this machine, which is the purpose
 */
export function openForwarder(url: string, secret: string): (event: ApiEvent) => Promise<Forwarded> {
  const sign = createSigner([secret]);
  return async ({ id, type, created_at, sequence, data }) => {
    const body = encodeWebhookBody({ type, timestamp: created_at, data, sequence });
    const headers = sign({ id, timestampSeconds: Math.floor(Date.now() / 1_000), body });
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Posthorn' },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return { status: response.status, ms: ms() };
    } catch (error) {
      const { cause, message } = error as Error;
      return { status: null, ms: ms(), error: cause instanceof Error ? cause.message : message };
    }
  };
}
