import type { Redis } from 'ioredis';
import { keys } from '../redis/keys.js';

const LEASES_TO_KEEP = 20;

/**
 * Between the next hop's 250 and our row lies a window in which a crash would make a second copy. The
 * note shrinks it to one hop to Redis: whoever reclaims the email looks here first.
 */
export async function noteHandover(
  redis: Redis,
  { id, attempt }: { id: string; attempt: number },
  { reply, leaseSeconds }: { reply: string; leaseSeconds: number },
): Promise<void> {
  await redis.set(keys.handover(id, attempt), reply, 'EX', leaseSeconds * LEASES_TO_KEEP);
}

/** The next hop's reply to an earlier attempt, or null when nobody noted one. */
export async function findHandover(
  redis: Redis,
  { id, attempt }: { id: string; attempt: number },
): Promise<string | null> {
  return redis.get(keys.handover(id, attempt));
}
