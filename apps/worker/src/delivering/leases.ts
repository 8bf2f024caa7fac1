import { type ClaimedEmail, extendLeases } from '@posthorn/domain/delivery';
import { type LoggedEmail, toLogFields } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { isolateFailures } from '@posthorn/platform/batching';
import type { Config } from '@posthorn/platform/config';

/** The emails that this worker holds, and how long each lease is certain to last. */
export type Leases = {
  /** @param claimedAt `performance.now()` before the claim was sent to Postgres */
  hold(email: LoggedEmail & Pick<ClaimedEmail, 'attempt'>, claimedAt: number): Lease;
  /** Ids of the emails in hand, including those whose lease has expired. */
  held(): string[];
  stop(): void;
};

export type Lease = {
  /** Uses this process's own clock, which keeps running while the process is frozen. */
  isLive(): boolean;
  end(): void;
};

type Held = LoggedEmail & { attempt: number; liveUntil: number };

/** Two extensions in a row may fail before a lease is lost. */
const EXTENSIONS_PER_LEASE = 3;

/** How often a worker extends its leases, in milliseconds. */
export function getExtensionMs({ leaseSeconds }: Pick<Config, 'leaseSeconds'>): number {
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
  const timer = setInterval(() => void extendAll(), getExtensionMs(ctx.config)).unref();

  async function extendAll(): Promise<void> {
    // `extend` has logged the failure.
    await isolateFailures([...held], extend, { isolatesLocks: true }).catch(() => {});
  }

  async function extend(entries: readonly Held[]): Promise<undefined[]> {
    const extendedAt = performance.now();
    try {
      const ours = await extendLeases(ctx.db, entries, leaseSeconds);
      for (const entry of entries) entry.liveUntil = ours.has(entry.id) ? extendedAt + leaseMs : 0;
      return entries.map(() => undefined);
    } catch (error) {
      ctx.log.warn({ error, emails: entries.map(toLogFields) }, 'leases_not_extended');
      throw error;
    }
  }

  return {
    hold({ id, attempt, requestId = null, traceparent = null }, claimedAt) {
      const entry: Held = { id, attempt, requestId, traceparent, liveUntil: claimedAt + leaseMs };
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
