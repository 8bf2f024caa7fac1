import { createCondition } from '@posthorn/platform/processes';

/** Slots that the sweep has taken. Reserved ones are only for workspaces without a slot, one each. */
export type FreeSlots = { readonly count: number; readonly isReserve: boolean };

export type Slots = {
  /** Takes a slot for a delivery job. @returns false if the workspace cannot have one now */
  take(workspaceId: string): boolean;
  /** Takes all free slots for the sweep. They count as used until `assign`. */
  takeAll(): FreeSlots;
  /**
   * Gives the slots from `takeAll` to workspaces.
   * @param workspaceIds one for each slot that is needed; the other slots are released
   * @param mayBeMore whether there may be waiting emails that got no slot
   */
  assign(free: FreeSlots, workspaceIds: readonly string[], mayBeMore: boolean): void;
  release(workspaceId: string): void;
  /**
   * Releases the slot of an email whose outcome is still to be recorded. If `size` outcomes are already waiting for
   * Postgres, the email keeps its slot until its outcome is recorded, so that the number of emails
   * in hand stays bounded.
   * @returns a function to call once the outcome is recorded
   */
  releaseToRecord(workspaceId: string): () => void;
  activeWorkspaces(): string[];
  /** Emails with a slot or with an outcome to record: at most twice `size`. */
  inHand(): number;
  recording(): number;
  /** Settles when a slot is free for the emails that are waiting for one, or when the worker stops. */
  untilSlotForBacklog(): Promise<void>;
  stop(): void;
  untilEmpty(): Promise<void>;
};

type State = {
  readonly size: number;
  /** Slots that only workspaces without a slot get. */
  readonly reserved: number;
  readonly now: () => number;
  /** How many emails may be claimed ahead, besides those that are being sent. */
  ahead: number;
  /** When `ahead` was decided, and how many attempts have ended since. */
  decidedAt: number;
  ended: number;
  /** How many slots each workspace holds. */
  readonly held: Map<string, number>;
  used: number;
  /** Emails that have released their slot and whose outcome is not recorded yet. */
  recording: number;
  isStopped: boolean;
  hasBacklog: boolean;
  /** Whether the sweep has taken slots without knowing yet which workspaces get them. */
  isSweeping: boolean;
  /**
   * Whether a workspace was refused a slot since the sweep began. The sweep's query may have missed the emails of that
   * workspace.
   */
  refused: 'none' | 'with_slot' | 'without_slot';
};

const RESERVED_SHARE = 0.1;

/** How many of `size` slots, or of as many turns to send, are only for workspaces that have none. */
export function countReserved(size: number): number {
  return size > 1 ? Math.max(1, Math.round(size * RESERVED_SHARE)) : 0;
}

/** A worker claims ahead as many emails as it sends within this time. */
const AHEAD_MS = 50;
const DECIDE_EVERY_MS = 100;

/**
 * Limits how many emails a worker holds, and shares the slots between workspaces. A worker may send `size` emails at a
 * time, and claims as many more as it sends in 50 ms. They are built and signed while others are sent, and larger claims
 * cost less per email. Behind a slow mail server, it soon claims nothing ahead. With the emails whose outcome is still to
 * be recorded, it never holds more than twice `size`.
 *
 * A tenth of `size` is reserved for workspaces that have no slot, so that a single email gets one at once, however many
 * emails another workspace sends and however slow the mail server is. While emails wait for a slot, a workspace that
 * already has one gets more only from the sweep, which shares them fairly. A worker with one slot has no reserve.
 */
export function createSlots(size: number, now: () => number = () => performance.now()): Slots {
  const state = createState(size, now);
  const countInHand = () => state.used + state.recording;
  const backlog = createCondition(
    () => state.isStopped || (state.hasBacklog && getLimitForRefused(state) - state.used >= getMinClaim(state)),
  );
  const empty = createCondition(() => countInHand() === 0);

  function change<Result>(make: () => Result): Result {
    const result = make();
    backlog.check();
    empty.check();
    return result;
  }

  const release = (workspaceId: string) => change(() => releaseSlot(state, workspaceId));
  return {
    take: (workspaceId) => change(() => takeSlot(state, workspaceId)),
    takeAll: () => takeFreeSlots(state),
    assign: ({ count }, workspaceIds, mayBeMore) =>
      change(() => assignSlots(state, { count, workspaceIds, mayBeMore })),
    release,
    releaseToRecord(workspaceId) {
      state.ended += 1;
      if (state.recording >= size) return () => release(workspaceId);
      state.recording += 1;
      release(workspaceId);
      return () =>
        change(() => {
          state.recording -= 1;
        });
    },
    activeWorkspaces: () => [...state.held.keys()],
    inHand: countInHand,
    recording: () => state.recording,
    untilSlotForBacklog: backlog.wait,
    stop() {
      state.isStopped = true;
      backlog.check();
    },
    untilEmpty: empty.wait,
  };
}

function createState(size: number, now: () => number): State {
  return {
    size,
    reserved: countReserved(size),
    now,
    ahead: 0,
    decidedAt: now(),
    ended: 0,
    held: new Map(),
    used: 0,
    recording: 0,
    isStopped: false,
    hasBacklog: false,
    isSweeping: false,
    refused: 'none',
  };
}

/** All slots that there are now. */
function getLimit(state: State): number {
  decideAhead(state);
  return Math.min(state.size + state.ahead, 2 * state.size - state.recording);
}

/** Slots that are in use do not go away, because those that are reserved would go first. */
function decideAhead(state: State): void {
  const { size, reserved, used, ahead } = state;
  const ms = state.now() - state.decidedAt;
  if (ms < DECIDE_EVERY_MS) return;
  const paced = Math.min(size, Math.floor((state.ended * AHEAD_MS) / ms));
  state.ahead = Math.max(paced, Math.min(ahead, used - (size - reserved)));
  state.decidedAt += ms;
  state.ended = 0;
}

/** How many slots must be free for a claim. While emails are claimed ahead, it can wait, because larger claims cost less. */
function getMinClaim({ ahead }: State): number {
  return Math.max(1, Math.floor(ahead / 2));
}

function takeSlot(state: State, workspaceId: string): boolean {
  if (state.isStopped) return false;
  const hasSlot = state.held.has(workspaceId);
  if (mayTake(state, hasSlot)) {
    state.used += 1;
    hold(state, workspaceId);
    return true;
  }
  state.hasBacklog = true;
  if (state.refused !== 'without_slot') state.refused = hasSlot ? 'with_slot' : 'without_slot';
  return false;
}

function mayTake(state: State, hasSlot: boolean): boolean {
  const limit = getLimit(state);
  if (hasSlot) return state.used < limit - state.reserved && !state.hasBacklog;
  return state.used < (state.isSweeping ? limit - state.reserved : limit);
}

function takeFreeSlots(state: State): FreeSlots {
  state.refused = 'none';
  state.isSweeping = true;
  const limit = getLimit(state);
  const isReserve = state.used >= limit - state.reserved;
  const count = state.isStopped ? 0 : Math.max(0, (isReserve ? limit : limit - state.reserved) - state.used);
  state.used += count;
  return { count, isReserve };
}

type Assignment = { readonly count: number; readonly workspaceIds: readonly string[]; readonly mayBeMore: boolean };

function assignSlots(state: State, { count, workspaceIds, mayBeMore }: Assignment): void {
  for (const workspaceId of workspaceIds) hold(state, workspaceId);
  state.used -= count - workspaceIds.length;
  state.isSweeping = false;
  state.hasBacklog = mayBeMore || state.refused !== 'none';
}

function releaseSlot(state: State, workspaceId: string): void {
  const left = (state.held.get(workspaceId) ?? 0) - 1;
  if (left > 0) state.held.set(workspaceId, left);
  else state.held.delete(workspaceId);
  state.used -= 1;
}

function hold({ held }: State, workspaceId: string): void {
  held.set(workspaceId, (held.get(workspaceId) ?? 0) + 1);
}

function getLimitForRefused(state: State): number {
  return getLimit(state) - (state.refused === 'without_slot' ? 0 : state.reserved);
}
