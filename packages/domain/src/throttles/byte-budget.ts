import { Refusal } from '@posthorn/domain/errors';
import { formatCount } from '@posthorn/platform/values';

/** How much memory one owner may use, as a share of what remains free. */
const SHARE_OF_FREE = 1 / 2;

/** The bytes that one request, or all requests of an owner, have in progress. */
export type UsedBytes = {
  /** Bytes that are declared or taken, whichever is more. */
  expected: number;
  /** Bytes that take memory. */
  taken: number;
};

export const NO_BYTES: UsedBytes = { expected: 0, taken: 0 };

/** Bytes in progress by owner, such as a workspace or a client's address. */
export type ByteBudget = {
  /**
   * A request that is the only one in progress is never refused, so that every body can be read or sent.
   * @param own what the request already has in progress
   * @throws Refusal rate_limited
   */
  assertRoom(owner: string, own: UsedBytes, more: UsedBytes): void;
  /** Changes the bytes of a request and of its owner. */
  add(owner: string, own: UsedBytes, more: UsedBytes): void;
  /** Removes all bytes of a request. */
  remove(owner: string, own: UsedBytes): void;
  /** Whether any request of the owner is in progress. */
  holds(owner: string): boolean;
  /** Bytes that take memory. */
  used(): number;
};

/**
 * Bounds how many bytes are in progress at the same time. An owner may use at most half as much memory as remains free.
 * The less memory is free, the less each owner gets, so some memory is left for the next owner even if all others use as
 * much as they can.
 * @param what the bytes, as in "You reached the limit of 32,000,000 bytes of large bodies in progress for all clients."
 */
export function createByteBudget({
  maxPerOwner,
  maxInTotal,
  what,
}: {
  readonly maxPerOwner: number;
  readonly maxInTotal: number;
  readonly what: string;
}): ByteBudget {
  const owners = new Map<string, UsedBytes>();
  let used = 0;

  function add(owner: string, own: UsedBytes, { expected, taken }: UsedBytes): void {
    const all = owners.get(owner) ?? { expected: 0, taken: 0 };
    for (const one of [own, all]) {
      one.expected += expected;
      one.taken += taken;
    }
    used += taken;
    if (all.expected > 0) owners.set(owner, all);
    else owners.delete(owner);
  }

  function refuse(max: number, whose: string): Refusal {
    const limit = `${formatCount(max)} bytes of ${what} in progress ${whose}`;
    return new Refusal('rate_limited', { limit, retryAfterSeconds: 1 });
  }

  return {
    assertRoom(owner, own, more) {
      const all = owners.get(owner) ?? NO_BYTES;
      if (all.expected > own.expected && all.expected + more.expected > maxPerOwner)
        throw refuse(maxPerOwner, 'at the same time');
      const free = maxInTotal - used - more.taken;
      if (used > own.taken && all.taken + more.taken > free * SHARE_OF_FREE)
        throw refuse(maxInTotal, 'for all clients');
    },
    add,
    remove: (owner, own) => add(owner, own, { expected: -own.expected, taken: -own.taken }),
    holds: (owner) => owners.has(owner),
    used: () => used,
  };
}
