import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type RateLimitState, Refusal } from '../errors.js';
import { keys } from '../redis/keys.js';
import type { AdmissionRequest } from './run-admission-script.js';

const MAX_WAIT_MS = 5_000;
const POLL_MS = 25;

/**
 * Waits for another request that holds the same idempotency key.
 * @returns its response, or null once it has released the key
 * @throws Refusal idempotency_in_progress after 5 s
 */
export async function waitForResponse(
  redis: Redis,
  { workspace, idempotencyKey }: AdmissionRequest,
  rate: RateLimitState,
): Promise<string | null> {
  const key = keys.idempotency(workspace.id, idempotencyKey?.keyHash ?? '');
  for (let waited = 0; waited < MAX_WAIT_MS; waited += POLL_MS) {
    await sleep(POLL_MS);
    const [fingerprint, response] = await redis.hmget(key, 'fingerprint', 'response');
    if (fingerprint !== idempotencyKey?.fingerprint) return null;
    if (response) return response;
  }
  throw new Refusal('idempotency_in_progress').with({ rate });
}
