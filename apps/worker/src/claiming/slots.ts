import { createCondition } from '@posthorn/platform/batching';

/** Slots that the sweep has taken. Reserved ones are only for workspaces without a slot, one each. */
export type FreeSlots = { readonly count: number; readonly isReserve: boolean };

/** Share of the slots that is reserved for workspaces without a slot. */
const RESERVED_SHARE = 0.1;

/**
 * Limits how many emails a worker delivers at a time, and shares the slots between workspaces. A tenth of the slots is
 * reserved for workspaces that have none, so that a single email gets a slot at once, however many emails another
 * workspace sends and however slow the mail server is. While emails wait for a slot, a workspace that already has one
 * gets more only from the sweep, which shares them fairly. A worker with one slot has no reserve.
 */
export class Slots {
  readonly #size: number;
  /** Slots outside the reserve. */
  readonly #shared: number;
  readonly #held = new Map<string, number>();
  #used = 0;
  /** Emails that have released their slot and whose outcome is not recorded yet. */
  #recording = 0;
  #isStopped = false;
  /** Whether emails are waiting for a slot. */
  #hasBacklog = false;
  /** Whether the sweep has taken slots without knowing yet which workspaces get them. */
  #isSweeping = false;
  /**
   * Whether a workspace was refused a slot since the sweep began. The sweep's query may have missed the emails of that
   * workspace.
   */
  #refused: 'none' | 'with_slot' | 'without_slot' = 'none';
  readonly #slotForBacklog = createCondition(
    () => this.#isStopped || (this.#hasBacklog && this.#used < this.#limitForRefused()),
  );
  readonly #empty = createCondition(() => this.inHand() === 0);

  constructor(size: number) {
    this.#size = size;
    this.#shared = size > 1 ? size - Math.max(1, Math.round(size * RESERVED_SHARE)) : size;
  }

  /** Takes a slot for a delivery job. @returns false if the workspace cannot have one now */
  take(workspaceId: string): boolean {
    if (this.#isStopped) return false;
    if (!this.#mayTake(workspaceId)) return this.#refuse(workspaceId);
    this.#used += 1;
    this.#hold(workspaceId);
    return true;
  }

  /** Takes all free slots for the sweep. They count as used until `assign`. */
  takeAll(): FreeSlots {
    this.#refused = 'none';
    this.#isSweeping = true;
    const isReserve = this.#used >= this.#shared;
    const count = this.#isStopped ? 0 : (isReserve ? this.#size : this.#shared) - this.#used;
    this.#used += count;
    return { count, isReserve };
  }

  /**
   * Gives the slots from `takeAll` to workspaces.
   * @param workspaceIds one for each slot that is needed; the other slots are released
   * @param mayBeMore whether there may be waiting emails that got no slot
   */
  assign({ count }: FreeSlots, workspaceIds: readonly string[], mayBeMore: boolean): void {
    for (const workspaceId of workspaceIds) this.#hold(workspaceId);
    this.#used -= count - workspaceIds.length;
    this.#isSweeping = false;
    this.#hasBacklog = mayBeMore || this.#refused !== 'none';
    this.#checkConditions();
  }

  release(workspaceId: string): void {
    const left = (this.#held.get(workspaceId) ?? 0) - 1;
    if (left > 0) this.#held.set(workspaceId, left);
    else this.#held.delete(workspaceId);
    this.#used -= 1;
    this.#checkConditions();
  }

  /**
   * Releases the slot of an email whose outcome is still to be recorded. If as many outcomes as there are slots are
   * already waiting for Postgres, the email keeps its slot until its outcome is recorded, so that the number of emails
   * in hand stays bounded.
   * @returns a function to call once the outcome is recorded
   */
  releaseToRecord(workspaceId: string): () => void {
    if (this.#recording >= this.#size) return () => this.release(workspaceId);
    this.#recording += 1;
    this.release(workspaceId);
    return () => {
      this.#recording -= 1;
      this.#empty.check();
    };
  }

  /** Workspaces that hold a slot now. */
  activeWorkspaces(): string[] {
    return [...this.#held.keys()];
  }

  /** Emails with a slot or with an outcome to record: at most twice as many as there are slots. */
  inHand(): number {
    return this.#used + this.#recording;
  }

  /** Emails whose outcome is being recorded. */
  recording(): number {
    return this.#recording;
  }

  /** Settles when a slot is free for the emails that are waiting for one, or when the worker stops. */
  untilSlotForBacklog(): Promise<void> {
    return this.#slotForBacklog.wait();
  }

  /** Stops giving out slots. */
  stop(): void {
    this.#isStopped = true;
    this.#checkConditions();
  }

  /** Settles when no emails are in hand. */
  untilEmpty(): Promise<void> {
    return this.#empty.wait();
  }

  #mayTake(workspaceId: string): boolean {
    if (this.#held.has(workspaceId)) return this.#used < this.#shared && !this.#hasBacklog;
    return this.#used < (this.#isSweeping ? this.#shared : this.#size);
  }

  #refuse(workspaceId: string): false {
    this.#hasBacklog = true;
    if (this.#refused !== 'without_slot') this.#refused = this.#held.has(workspaceId) ? 'with_slot' : 'without_slot';
    this.#checkConditions();
    return false;
  }

  #limitForRefused(): number {
    return this.#refused === 'without_slot' ? this.#size : this.#shared;
  }

  #hold(workspaceId: string): void {
    this.#held.set(workspaceId, (this.#held.get(workspaceId) ?? 0) + 1);
  }

  #checkConditions(): void {
    this.#slotForBacklog.check();
    this.#empty.check();
  }
}
