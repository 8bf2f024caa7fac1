import type { Redis } from 'ioredis';
import { keys } from '../redis/keys.js';
import type { Fate, Outcome } from './outcome.js';

const LEASES_TO_KEEP = 20;

export type HandoverNote = Pick<Outcome, 'id' | 'attempt' | 'fates'>;

/**
 * Between the next hop's 250 and our row lies a window in which a crash would make a second copy. The
 * note shrinks it to one hop to Redis: whoever reclaims the email looks here first.
 * @returns for each why it could not be noted, or null
 */
export async function noteHandovers(
  redis: Redis,
  notes: readonly HandoverNote[],
  leaseSeconds: number,
): Promise<Array<Error | null>> {
  const seconds = leaseSeconds * LEASES_TO_KEEP;
  const pipeline = redis.pipeline();
  for (const { id, attempt, fates } of notes) {
    pipeline.set(keys.handover(id, attempt), JSON.stringify(fates), 'EX', seconds);
  }
  const answers = await pipeline.exec();
  return notes.map((_, index) => answers?.[index]?.[0] ?? null);
}

/** What the next hop's answers to an earlier attempt meant for each recipient, or null when nobody noted it. */
export async function findHandover(
  redis: Redis,
  { id, attempt }: Pick<Outcome, 'id' | 'attempt'>,
): Promise<readonly Fate[] | null> {
  const note = await redis.get(keys.handover(id, attempt));
  return note === null ? null : (JSON.parse(note) as Fate[]);
}
