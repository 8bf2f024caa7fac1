import type { DeliveryJobs } from '@posthorn/domain/delivery';
import { signalEvents } from '@posthorn/domain/events';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures, toRejection } from '@posthorn/platform/batching';
import { failpoint } from '@posthorn/platform/failpoints';
import { type Db, isLockTimeout, isPoolExhausted } from '@posthorn/platform/postgres';
import { inSpan, type Span, type Tracer } from '@posthorn/platform/traces';
import {
  type CommitOutcome,
  type CommitRequest,
  type CommitResult,
  countContentCharacters,
  groupSize,
  listWritten,
  WRITTEN,
} from './commit-request.js';
import { commitOptimistically, commitWithLocks, isKeyTaken } from './commit-transaction.js';

/**
 * Requests with more characters than this are grouped only with each other, so that no small request waits for them.
 */
const MAX_SMALL_CONTENT_CHARACTERS = 256_000;
/** For this long after a failed optimistic commit, groups are committed with locks, so that failures do not pile up. */
const LOCKS_FOR_MS = 1_000;
/**
 * Other accept transactions lock a usage row for only a few milliseconds, so waiting much longer for it would not help.
 * While a group waits for the row of one workspace, it may already hold the locks on the rows of others.
 */
const LOCK_TIMEOUT_MS = 300;

export type CommitEmails = (request: CommitRequest) => Promise<CommitOutcome>;

/** The result of a request, or a promise of the result if the workspace is kept apart. */
type PendingResult = CommitResult | Promise<CommitOutcome>;

/**
 * The accept transaction stores emails and counts usage. Requests that arrive together share a transaction. It has the
 * final say on caps and idempotency keys. Nearly every group can be stored as a whole, so that is tried first. If that
 * fails, the requests are checked one by one, under locks.
 * @throws Refusal for a cap, or idempotency_key_reused; if Postgres is unavailable, its error is rethrown unchanged
 */
export function createGroupCommit(
  { db, redis, tracer }: Pick<Context, 'db' | 'redis' | 'tracer'>,
  deliveryJobs: DeliveryJobs,
): CommitEmails {
  const announcer: Announcer = { deliveryJobs, redis };
  const apart = createCommitApart((requests) =>
    inSpan(startCommit(tracer, requests), async () => {
      const results = await commitOrSplit(db, requests);
      announce(announcer, requests, results);
      return results;
    }),
  );
  const commit = createCommit(db, apart);
  const flush = (requests: CommitRequest[]) =>
    inSpan(startCommit(tracer, requests), async () => {
      const results = await commit(requests);
      announce(announcer, requests, results);
      return results;
    });
  // If a group cannot get a connection, the requests behind it would wait just as long and get none either.
  // With one busy workspace, a second transaction waits for the first one to unlock its usage rows. So it starts only
  // when a full group waits, as with batches.
  const limits = { ...groupSize, inFlight: 2, onlyFullBeside: true, failsAllWaiting: isPoolExhausted };
  const commitSmall = groupCalls<CommitRequest, CommitOutcome>(flush, limits);
  const commitLarge = groupCalls<CommitRequest, CommitOutcome>(flush, limits);
  return (request) =>
    countContentCharacters(request) > MAX_SMALL_CONTENT_CHARACTERS ? commitLarge(request) : commitSmall(request);
}

function startCommit(tracer: Tracer | null, requests: readonly CommitRequest[]): Span | undefined {
  return tracer?.startWork('commit emails', requests, {
    kind: 'producer',
    attributes: {
      'messaging.system': 'posthorn',
      'messaging.operation.name': 'commit',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': requests.reduce((sum, { emails }) => sum + emails.length, 0),
    },
  });
}

/** Tells workers what was committed. */
type Announcer = Pick<Context, 'redis'> & { readonly deliveryJobs: DeliveryJobs };

function announce(
  { deliveryJobs, redis }: Announcer,
  requests: readonly CommitRequest[],
  results: readonly PendingResult[],
): void {
  const queued = listWritten(requests, results).flatMap(({ emails }) =>
    emails.filter(({ status }) => status === 'queued'),
  );
  failpoint('after_commit');
  deliveryJobs.announce(queued.map(({ id, workspaceId }) => [id, workspaceId]));
  signalEvents({ redis });
  failpoint('after_announce');
}

function createCommit(db: Db, apart: CommitApart): (requests: CommitRequest[]) => Promise<PendingResult[]> {
  let locksUntil = 0;

  async function commitTogether(requests: CommitRequest[]): Promise<PendingResult[]> {
    try {
      if (performance.now() >= locksUntil) {
        if (await commitOptimistically(db, requests)) return requests.map(() => WRITTEN);
        locksUntil = performance.now() + LOCKS_FOR_MS;
      }
      return await commitOrSplit(db, requests);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      // The usage rows of at least one workspace are locked, so from here on, the requests of each workspace are
      // committed separately.
      return requests.map(apart.commit);
    }
  }

  return async (requests) => {
    if (apart.isIdle()) return commitTogether(requests);
    const separate = requests.map(apart.commitIfApart);
    const others = requests.filter((_, index) => separate[index] === null);
    const results = others.length === 0 ? [] : await commitTogether(others).catch(toRejections(others));
    return separate.map((result) => result ?? (results.shift() as PendingResult));
  };
}

function toRejections(requests: readonly CommitRequest[]): (error: unknown) => PendingResult[] {
  return (error) => requests.map(() => toRejection(error));
}

function commitOrSplit(db: Db, requests: CommitRequest[]): Promise<CommitResult[]> {
  return isolateFailures(requests, (group) => commitGroup(db, group));
}

async function commitGroup(db: Db, requests: CommitRequest[]): Promise<CommitResult[]> {
  try {
    return await commitWithLocks(db, requests, LOCK_TIMEOUT_MS);
  } catch (error) {
    // Another transaction has just used the key, so its stored response can be read now.
    if (isKeyTaken(error)) return commitGroup(db, requests);
    throw error;
  }
}

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
type CommitApart = {
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
function createCommitApart(flush: (requests: CommitRequest[]) => Promise<CommitResult[]>): CommitApart {
  const groups = new Map<string, WorkspaceGroup>();
  const inTurn = groupCalls(async ([run]: Array<() => Promise<CommitResult[]>>) => (run ? [await run()] : []), {
    max: 1,
    inFlight: MAX_TRANSACTIONS,
  });

  function openGroup(workspaceId: string): WorkspaceGroup {
    const group: WorkspaceGroup = {
      apartUntil: performance.now() + KEEP_APART_MS,
      // Requests that arrive while a group keeps trying would find the same rows locked.
      commit: groupCalls(commitGroup, {
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
