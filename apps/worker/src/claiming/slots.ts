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
   * Releases the slot of an email whose outcome is still to be recorded. If as many outcomes as there are slots are
   * already waiting for Postgres, the email keeps its slot until its outcome is recorded, so that the number of emails
   * in hand stays bounded.
   * @returns a function to call once the outcome is recorded
   */
  releaseToRecord(workspaceId: string): () => void;
  activeWorkspaces(): string[];
  /** Emails with a slot or with an outcome to record: at most twice as many as there are slots. */
  inHand(): number;
  recording(): number;
  /** Settles when a slot is free for the emails that are waiting for one, or when the worker stops. */
  untilSlotForBacklog(): Promise<void>;
  stop(): void;
  untilEmpty(): Promise<void>;
};

type State = {
  readonly size: number;
  /** Slots outside the reserve. */
  readonly shared: number;
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

/**
 * Limits how many emails a worker delivers at a time, and shares the slots between workspaces. A tenth of the slots is
 * reserved for workspaces that have none, so that a single email gets a slot at once, however many emails another
 * workspace sends and however slow the mail server is. While emails wait for a slot, a workspace that already has one
 * gets more only from the sweep, which shares them fairly. A worker with one slot has no reserve.
 */
export function createSlots(size: number): Slots {
  const state = createState(size);
  const countInHand = () => state.used + state.recording;
  const backlog = createCondition(
    () => state.isStopped || (state.hasBacklog && state.used < getLimitForRefused(state)),
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
      if (state.recording >= size) return () => release(workspaceId);
      state.recording += 1;
      release(workspaceId);
      return () => {
        state.recording -= 1;
        empty.check();
      };
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

function createState(size: number): State {
  return {
    size,
    shared: size > 1 ? size - Math.max(1, Math.round(size * RESERVED_SHARE)) : size,
    held: new Map(),
    used: 0,
    recording: 0,
    isStopped: false,
    hasBacklog: false,
    isSweeping: false,
    refused: 'none',
  };
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

function mayTake({ used, size, shared, hasBacklog, isSweeping }: State, hasSlot: boolean): boolean {
  if (hasSlot) return used < shared && !hasBacklog;
  return used < (isSweeping ? shared : size);
}

function takeFreeSlots(state: State): FreeSlots {
  state.refused = 'none';
  state.isSweeping = true;
  const isReserve = state.used >= state.shared;
  const count = state.isStopped ? 0 : (isReserve ? state.size : state.shared) - state.used;
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

function getLimitForRefused({ refused, size, shared }: State): number {
  return refused === 'without_slot' ? size : shared;
}
