import { grouped } from '@posthorn/platform/batching';
import { isLockTimeout, isPoolExhausted } from '@posthorn/platform/postgres';
import type { CommitOutcome, CommitRequest, CommitResult } from './commit-request.js';
import { groupSize } from './group-size.js';

/** How long a workspace is kept apart after its usage rows were locked for too long. */
const KEEP_APART_MS = 5_000;
/** Workspaces with locked rows must not occupy every connection in the pool. */
const MAX_TRANSACTIONS = 4;
/**
 * How long to keep trying while the rows stay locked. Perhaps they are locked only by another process that is itself
 * waiting for the rows of a different workspace. Such a process releases them within a second or two.
 */
const KEEP_TRYING_MS = 2_000;

/** Commits the requests of one workspace in transactions of their own, so that no other workspace waits for them. */
export type CommitApart = {
  /** True while no workspace is kept apart, which is nearly always the case. */
  isIdle(): boolean;
  /** @returns null if the request's workspace is not kept apart */
  commitIfApart(request: CommitRequest): Promise<CommitOutcome> | null;
  /**
   * Commits the request, and keeps its workspace apart until one of the workspace's own transactions finds the rows
   * unlocked.
   */
  commit(request: CommitRequest): Promise<CommitOutcome>;
};

type WorkspaceGroup = { readonly commit: (request: CommitRequest) => Promise<CommitOutcome>; apartUntil: number };

/** @param flush commits requests of one workspace. It must not wait long for a lock, because it is retried */
export function openCommitApart(flush: (requests: CommitRequest[]) => Promise<CommitResult[]>): CommitApart {
  const groups = new Map<string, WorkspaceGroup>();
  const inTurn = grouped(async ([run]: Array<() => Promise<CommitResult[]>>) => (run ? [await run()] : []), {
    max: 1,
    inFlight: MAX_TRANSACTIONS,
  });

  function openGroup(workspaceId: string): WorkspaceGroup {
    const group: WorkspaceGroup = {
      apartUntil: performance.now() + KEEP_APART_MS,
      // Requests that arrive while a group keeps trying would find the same rows locked.
      commit: grouped(commitGroup, {
        ...groupSize,
        failsAllWaiting: (error) => isPoolExhausted(error) || isLockTimeout(error),
      }),
    };
    async function commitGroup(requests: CommitRequest[]): Promise<CommitResult[]> {
      const giveUpAt = performance.now() + KEEP_TRYING_MS;
      const results = await whileLocked(
        () => inTurn(() => flush(requests)),
        () => {
          group.apartUntil = performance.now() + KEEP_APART_MS;
          return performance.now() < giveUpAt;
        },
      );
      groups.delete(workspaceId);
      return results;
    }
    closeExpiredGroups();
    groups.set(workspaceId, group);
    return group;
  }

  function closeExpiredGroups(): void {
    const now = performance.now();
    for (const [workspaceId, { apartUntil }] of groups) if (apartUntil <= now) groups.delete(workspaceId);
  }

  return {
    isIdle: () => groups.size === 0,
    commitIfApart(request) {
      const group = groups.get(request.workspace.id);
      return group && group.apartUntil > performance.now() ? commitWith(group, request) : null;
    },
    commit(request) {
      const { id } = request.workspace;
      return commitWith(groups.get(id) ?? openGroup(id), request);
    },
  };
}

/** Retries `work` after each lock timeout, as long as `goesOn` returns true. */
async function whileLocked<Result>(work: () => Promise<Result>, goesOn: () => boolean): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || !goesOn()) throw error;
    }
  }
}

/**
 * The caller may still be busy with other requests when this one is rejected, so the rejection must not go unhandled.
 */
function commitWith(group: WorkspaceGroup, request: CommitRequest): Promise<CommitOutcome> {
  const committed = group.commit(request);
  committed.catch(() => {});
  return committed;
}
