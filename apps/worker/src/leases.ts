import { type ClaimedEmail, type Config, type Context, extendLeases } from '@posthorn/domain';

/** The emails that this worker holds, and how long each lease is certain to last. */
export type Leases = {
  /** @param claimedAt `performance.now()` before the claim was sent to Postgres */
  hold(email: ClaimedEmail, claimedAt: number): Lease;
  /** Ids of the emails in hand, including those whose lease has expired. */
  held(): string[];
  stop(): void;
};

export type Lease = {
  /** Uses this process's own clock, which keeps running while the process is frozen. */
  isLive(): boolean;
  end(): void;
};

type Held = { id: string; attempt: number; liveUntil: number };

/** Two extensions in a row may fail before a lease is lost. */
const EXTENSIONS_PER_LEASE = 3;

/** How often a worker extends its leases, in milliseconds. */
export function extensionMs({ leaseSeconds }: Pick<Config, 'leaseSeconds'>): number {
  return (leaseSeconds * 1_000) / EXTENSIONS_PER_LEASE;
}

/**
 * Extends all leases together until their deliveries end. A lease that cannot be extended counts as lost once
 * it expires, because another worker may have claimed the email by then.
 */
export function openLeases(ctx: Pick<Context, 'config' | 'db' | 'log'>): Leases {
  const { leaseSeconds } = ctx.config;
  const leaseMs = leaseSeconds * 1_000;
  const held = new Set<Held>();
  const timer = setInterval(() => void extendAll(), extensionMs(ctx.config)).unref();

  async function extendAll(): Promise<void> {
    const entries = [...held];
    if (entries.length === 0) return;
    const extendedAt = performance.now();
    try {
      const ours = await extendLeases(ctx.db, entries, leaseSeconds);
      for (const entry of entries) entry.liveUntil = ours.has(entry.id) ? extendedAt + leaseMs : 0;
    } catch (error) {
      ctx.log.warn({ error, count: entries.length }, 'leases_not_extended');
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
    stop: () => clearInterval(timer),
  };
}
