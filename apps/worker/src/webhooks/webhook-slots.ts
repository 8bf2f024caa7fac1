import type { LeasedWebhook, LeaseSlots } from '@posthorn/domain/webhooks';

/** How many webhooks a worker sends to at the same time, not counting those that wait for slow answers. */
const SLOTS = 50;
/** With those. A lease that waits costs a little memory and no CPU time. */
const MAX_HELD = 200;
/** Receivers that are new, and those that were slow a short time ago, can have so many each. */
const QUARTER = Math.floor(SLOTS / 4);
/** New receivers that turn out to be slow leave so many for others, whose receivers worked until now. */
const MAX_SLOW_FOR_NEW = MAX_HELD / 2;
/** Without an answer for so long, a lease is waiting. */
export const WAITING_MS = 1_000;
const CHECK_MS = 250;
/** While others wait, a lease ends after this time. */
const TURN_MS = 1_000;

/** A webhook whose lease this worker has, until it is lost or given back. */
export type Held = {
  readonly webhook: LeasedWebhook;
  readonly leasedAt: number;
  isLost: boolean;
  /** When an answer arrived, or the lease began. */
  answeredAt: number;
  isWaiting: boolean;
  /** Call this when a request has ended. */
  onEnd(): void;
};

/**
 * Shares the slots of a worker, so that slow receivers do not make others wait. A lease that waits for an answer does
 * not keep its slot. Receivers that are not confirmed, and those that were slow, share a part of the slots among them.
 * @param onFree called when a lease has begun to wait, so that its slot is free
 */
export function createWebhookSlots(onFree: () => void) {
  const held = new Set<Held>();
  let isCrowded = false;
  const checking = setInterval(() => markWaiting(held) && onFree(), CHECK_MS).unref();

  return {
    held,
    hold(webhook: LeasedWebhook): Held {
      const now = performance.now();
      const lease: Held = {
        ...{ webhook, leasedAt: now, isLost: false, answeredAt: now, isWaiting: false },
        onEnd() {
          lease.answeredAt = performance.now();
        },
      };
      held.add(lease);
      return lease;
    },
    free: () => countFree(held),
    /** @param isFull whether others may wait, because there were no more slots */
    setCrowded(isFull: boolean): void {
      isCrowded = isFull;
    },
    /** @param isWanted whether others wait for the permits of this lease */
    goesOn({ isLost, leasedAt }: Held, isWanted: boolean): boolean {
      return !isLost && !((isCrowded || isWanted) && performance.now() > leasedAt + TURN_MS);
    },
    stop: () => clearInterval(checking),
  };
}

function countFree(held: ReadonlySet<Held>): LeaseSlots {
  const byWorkspace = new Map<string, number>();
  const counts = { used: 0, new: 0, slow: 0 };
  for (const { webhook, isWaiting } of held) {
    byWorkspace.set(webhook.workspaceId, (byWorkspace.get(webhook.workspaceId) ?? 0) + 1);
    if (!isWaiting) counts.used += 1;
    if (isWaiting || webhook.isSlow) counts.slow += 1;
    else if (!webhook.isConfirmed) counts.new += 1;
  }
  const free = Math.max(0, Math.min(SLOTS - counts.used, MAX_HELD - held.size));
  const upTo = (count: number) => Math.max(0, Math.min(free, count));
  return {
    free,
    freeForNew: upTo(Math.min(QUARTER - counts.new, MAX_SLOW_FOR_NEW - counts.slow)),
    freeForSlow: upTo(QUARTER - counts.slow),
    held: byWorkspace,
  };
}

/** @returns whether a lease has begun to wait */
function markWaiting(held: ReadonlySet<Held>): boolean {
  const since = performance.now() - WAITING_MS;
  let hasBegun = false;
  for (const lease of held) {
    const isWaiting = lease.answeredAt < since;
    hasBegun ||= isWaiting && !lease.isWaiting;
    lease.isWaiting = isWaiting;
  }
  return hasBegun;
}
