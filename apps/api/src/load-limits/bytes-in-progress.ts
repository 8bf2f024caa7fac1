import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCount } from '@posthorn/platform/values';

/** How much memory one owner may use, as a share of what remains free. */
const SHARE_OF_FREE = 1 / 2;

/** The bytes that one request, or all requests of an owner, have in progress. */
export type InProgress = {
  /** Bytes that are declared or taken, whichever is more. */
  expected: number;
  /** Bytes that take memory. */
  taken: number;
};

export const NO_BYTES: InProgress = { expected: 0, taken: 0 };

/** Bytes of large bodies in progress, by owner: a workspace, or a client's address. */
export type BytesInProgress = {
  /** @param own what the request already has in progress */
  assertRoom(owner: string, own: InProgress, more: InProgress): void;
  /** Changes the bytes of a request and of its owner. */
  add(owner: string, own: InProgress, more: InProgress): void;
  /** Removes all bytes of a request. */
  remove(owner: string, own: InProgress): void;
  /** Bytes that take memory. */
  used(): number;
};

export function bytesInProgress(): BytesInProgress {
  const owners = new Map<string, InProgress>();
  const { bodiesOfWorkspace, bodiesOfProcess } = limits;
  let used = 0;

  function add(owner: string, own: InProgress, { expected, taken }: InProgress): void {
    const all = owners.get(owner) ?? { expected: 0, taken: 0 };
    for (const one of [own, all]) {
      one.expected += expected;
      one.taken += taken;
    }
    used += taken;
    if (all.expected > 0) owners.set(owner, all);
    else owners.delete(owner);
  }

  return {
    /** A body that is the only one in progress is never refused, so that every body can be read or sent. */
    assertRoom(owner, own, more) {
      const all = owners.get(owner) ?? NO_BYTES;
      if (all.expected > own.expected && all.expected + more.expected > bodiesOfWorkspace.max)
        throw refuse(bodiesOfWorkspace.max, 'at the same time');
      const free = bodiesOfProcess.max - used - more.taken;
      if (used > own.taken && all.taken + more.taken > free * SHARE_OF_FREE)
        throw refuse(bodiesOfProcess.max, 'for all clients');
    },
    add,
    remove: (owner, own) => add(owner, own, { expected: -own.expected, taken: -own.taken }),
    used: () => used,
  };
}

function refuse(max: number, whose: string): Refusal {
  return new Refusal('rate_limited', {
    limit: `${formatCount(max)} bytes of large bodies in progress ${whose}`,
    retryAfterSeconds: 1,
  });
}
