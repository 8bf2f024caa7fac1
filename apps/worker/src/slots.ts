import { condition } from './condition.js';

/** `isReserve`: only for workspaces without a slot here, one for each. */
export type FreeSlots = { readonly count: number; readonly isReserve: boolean };

/** The part of the slots that no workspace gets which holds one already. */
const RESERVED_SHARE = 0.1;

/**
 * How many emails one worker delivers at a time, and for whom. One workspace's flood takes all slots but a
 * tenth: whoever else has a single mail finds one free at once, however slow the mail server is. While
 * mail waits for room the sweep alone hands it out, for it is fair. A worker with one slot serves
 * whoever comes first.
 */
export class Slots {
  readonly #size: number;
  /** Without the reserve. */
  readonly #shared: number;
  readonly #held = new Map<string, number>();
  #used = 0;
  /** Emails whose slots were given on and whose outcomes are not recorded yet. */
  #recording = 0;
  #isStopped = false;
  /** Mail waits for room. */
  #isShort = false;
  /** The sweep has slots of which nobody knows yet who will hold them. */
  #isLooking = false;
  /** Who was turned away since the sweep last began to look: it may have looked too early. */
  #missed: 'nobody' | 'holder' | 'newcomer' = 'nobody';
  readonly #room = condition(() => this.#isStopped || (this.#isShort && this.#used < this.#limitForMissed()));
  readonly #emptiness = condition(() => this.inHand() === 0);

  constructor(size: number) {
    this.#size = size;
    this.#shared = size > 1 ? size - Math.max(1, Math.round(size * RESERVED_SHARE)) : size;
  }

  /** For a bell: a slot now, or never. */
  take(workspaceId: string): boolean {
    if (this.#isStopped) return false;
    if (!this.#mayTake(workspaceId)) return this.#turnAway(workspaceId);
    this.#used += 1;
    this.#hold(workspaceId);
    return true;
  }

  /** For the sweep: all slots that are free. They count as used until `keep` says who has them. */
  takeFree(): FreeSlots {
    this.#missed = 'nobody';
    this.#isLooking = true;
    const isReserve = this.#used >= this.#shared;
    const count = this.#isStopped ? 0 : (isReserve ? this.#size : this.#shared) - this.#used;
    this.#used += count;
    return { count, isReserve };
  }

  /**
   * @param holders one workspace id for each slot that is needed; the others are free again
   * @param mayBeMore whether mail may wait that found no room
   */
  keep({ count }: FreeSlots, holders: readonly string[], mayBeMore: boolean): void {
    for (const workspaceId of holders) this.#hold(workspaceId);
    this.#used -= count - holders.length;
    this.#isLooking = false;
    this.#isShort = mayBeMore || this.#missed !== 'nobody';
    this.#tell();
  }

  release(workspaceId: string): void {
    const left = (this.#held.get(workspaceId) ?? 0) - 1;
    if (left > 0) this.#held.set(workspaceId, left);
    else this.#held.delete(workspaceId);
    this.#used -= 1;
    this.#tell();
  }

  /**
   * For an email of which only the outcome is left to record: gives its slot on, unless as many records as there
   * are slots are waited for. Postgres is behind then, and what a worker has in hand must end somewhere.
   * @returns what is to be called once it is recorded
   */
  releaseToRecord(workspaceId: string): () => void {
    if (this.#recording >= this.#size) return () => this.release(workspaceId);
    this.#recording += 1;
    this.release(workspaceId);
    return () => {
      this.#recording -= 1;
      this.#emptiness.check();
    };
  }

  /** Workspaces that hold a slot now. */
  holders(): string[] {
    return [...this.#held.keys()];
  }

  /** Emails with a slot, or with an outcome to record: at most twice as many as there are slots. */
  inHand(): number {
    return this.#used + this.#recording;
  }

  /** Settles when there is room again for mail that found none, and when the worker stops. */
  roomForMore(): Promise<void> {
    return this.#room.wait();
  }

  /** Nobody gets a slot any more. */
  stop(): void {
    this.#isStopped = true;
    this.#tell();
  }

  /** Settles when nothing is in hand. */
  empty(): Promise<void> {
    return this.#emptiness.wait();
  }

  #mayTake(workspaceId: string): boolean {
    if (this.#held.has(workspaceId)) return this.#used < this.#shared && !this.#isShort;
    return this.#used < (this.#isLooking ? this.#shared : this.#size);
  }

  #turnAway(workspaceId: string): false {
    this.#isShort = true;
    if (this.#missed !== 'newcomer') this.#missed = this.#held.has(workspaceId) ? 'holder' : 'newcomer';
    this.#tell();
    return false;
  }

  #limitForMissed(): number {
    return this.#missed === 'newcomer' ? this.#size : this.#shared;
  }

  #hold(workspaceId: string): void {
    this.#held.set(workspaceId, (this.#held.get(workspaceId) ?? 0) + 1);
  }

  #tell(): void {
    this.#room.check();
    this.#emptiness.check();
  }
}
