import { type ClaimedEmail, type Context, extendLeases } from '@posthorn/domain';

/** The emails this worker holds, and until when it may be sure of that. */
export type Leases = {
  /** @param claimedAt `performance.now()` from before the claim was asked for */
  hold(email: ClaimedEmail, claimedAt: number): Lease;
  /** Ids of the emails in hand, whether or not their leases are live. */
  held(): string[];
  stop(): void;
};

export type Lease = {
  /** By this process' own clock, which also runs while the process is frozen. */
  isLive(): boolean;
  end(): void;
};

type Held = { id: string; attempt: number; liveUntil: number };

/** Extensions per lease: two may fail before a lease is lost. */
const BEATS_PER_LEASE = 3;

/**
 * Extends all leases together while the work lasts. What cannot be extended counts as lost when its
 * time is over, without asking anybody: another worker may have claimed it by then.
 */
export function openLeases(ctx: Pick<Context, 'config' | 'db' | 'log'>): Leases {
  const { leaseSeconds } = ctx.config;
  const leaseMs = leaseSeconds * 1_000;
  const held = new Set<Held>();
  const beat = setInterval(() => void extendAll(), leaseMs / BEATS_PER_LEASE).unref();

  async function extendAll(): Promise<void> {
    const asked = [...held];
    if (asked.length === 0) return;
    const askedAt = performance.now();
    try {
      const ours = await extendLeases(ctx.db, asked, leaseSeconds);
      for (const entry of asked) entry.liveUntil = ours.has(entry.id) ? askedAt + leaseMs : 0;
    } catch (error) {
      ctx.log.warn({ error, count: asked.length }, 'leases_not_extended');
    }
  }

  return {
    hold({ id, attempt }, claimedAt) {
      const entry: Held = { id, attempt, liveUntil: claimedAt + leaseMs };
      held.add(entry);
      return {
        isLive: () => performance.now() < entry.liveUntil,
        end: () => held.delete(entry),
      };
    },
    held: () => [...held].map(({ id }) => id),
    stop: () => clearInterval(beat),
  };
}
