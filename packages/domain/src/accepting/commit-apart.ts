import { grouped } from '../grouping.js';
import { isLockTimeout, isPoolExhausted } from '../is-unavailable.js';
import type { CommitOutcome, CommitRequest, CommitResult } from './commit-request.js';
import { groupSize } from './group-size.js';

/** How long a workspace is kept apart after its usage rows were locked for too long. */
const KEEP_APART_MS = 5_000;
/** Workspaces with locked rows must not occupy every connection of the pool. */
const MAX_TRANSACTIONS = 4;

/** Commits the requests of one workspace in transactions of their own, so that no other workspace waits for them. */
export type CommitApart = {
  /** Whether no workspace is kept apart, which is nearly always so. */
  isIdle(): boolean;
  /** @returns null if the request's workspace is not kept apart */
  commitIfApart(request: CommitRequest): Promise<CommitOutcome> | null;
  /** Keeps the request's workspace apart from now on, until a transaction of its own finds its rows unlocked. */
  commit(request: CommitRequest): Promise<CommitOutcome>;
};

type Lane = { readonly commit: (request: CommitRequest) => Promise<CommitOutcome>; apartUntil: number };

/** @param flush commits requests of one workspace; it should not wait long for a lock */
export function openCommitApart(flush: (requests: CommitRequest[]) => Promise<CommitResult[]>): CommitApart {
  const lanes = new Map<string, Lane>();
  const inTurn = grouped(async ([run]: Array<() => Promise<CommitResult[]>>) => (run ? [await run()] : []), {
    max: 1,
    inFlight: MAX_TRANSACTIONS,
  });

  function openLane(workspaceId: string): Lane {
    const lane: Lane = {
      apartUntil: performance.now() + KEEP_APART_MS,
      commit: grouped(commitInLane, { ...groupSize, failsAllWaiting: isPoolExhausted }),
    };
    async function commitInLane(requests: CommitRequest[]): Promise<CommitResult[]> {
      try {
        const results = await inTurn(() => flush(requests));
        lanes.delete(workspaceId);
        return results;
      } catch (error) {
        if (isLockTimeout(error)) lane.apartUntil = performance.now() + KEEP_APART_MS;
        throw error;
      }
    }
    closeExpiredLanes();
    lanes.set(workspaceId, lane);
    return lane;
  }

  function closeExpiredLanes(): void {
    const now = performance.now();
    for (const [workspaceId, { apartUntil }] of lanes) if (apartUntil <= now) lanes.delete(workspaceId);
  }

  return {
    isIdle: () => lanes.size === 0,
    commitIfApart(request) {
      const lane = lanes.get(request.workspace.id);
      return lane && lane.apartUntil > performance.now() ? commitIn(lane, request) : null;
    },
    commit(request) {
      const { id } = request.workspace;
      return commitIn(lanes.get(id) ?? openLane(id), request);
    },
  };
}

/** The caller may be busy with other requests when this one is rejected. */
function commitIn(lane: Lane, request: CommitRequest): Promise<CommitOutcome> {
  const committed = lane.commit(request);
  committed.catch(() => {});
  return committed;
}
