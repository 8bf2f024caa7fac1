import { setTimeout as sleep } from 'node:timers/promises';
import { type RateLimitState, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import type { AdmissionRequest } from './run-admission-script.js';

const MAX_WAIT_MS = 5_000;
const POLL_MS = 25;

/**
 * Waits for another request that holds the same idempotency key.
 * @returns true once its response is stored, or false once it has released the key
 * @throws Refusal idempotency_in_progress after 5 s
 */
export async function waitForResponse(
  { incarnationKeys, redis }: Pick<Context, 'incarnationKeys' | 'redis'>,
  { workspace, idempotencyKey }: AdmissionRequest,
  rate: RateLimitState,
): Promise<boolean> {
  const key = incarnationKeys.idempotency(workspace.id, idempotencyKey?.keyHash ?? '');
  for (let waited = 0; waited < MAX_WAIT_MS; waited += POLL_MS) {
    await sleep(POLL_MS);
    const [fingerprint, stored] = await redis.hmget(key, 'fingerprint', 'stored');
    if (fingerprint !== idempotencyKey?.fingerprint) return false;
    if (stored) return true;
  }
  throw new Refusal('idempotency_in_progress').with({ rate });
}
