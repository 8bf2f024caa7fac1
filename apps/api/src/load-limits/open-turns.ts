/** Permission for one request to run. `end` may be called more than once. */
type Turn = {
  /** @param pauseMs how long to wait before the next request gets the turn */
  end(pauseMs?: number): void;
};

export type Turns = {
  /** Waits until this owner, such as a workspace, may run one more request. Requests run in call order. */
  begin(owner: string): Promise<Turn>;
};

/**
 * Bounds how many requests of one owner run at the same time, so that time and Postgres connections are left
 * for others.
 */
export function openTurns(maxAtOnce: number): Turns {
  const owners = new Map<string, { running: number; waiting: Array<() => void> }>();

  /** The next request takes over the turn, so the number of running requests does not change. */
  function passOn(owner: string): void {
    const own = owners.get(owner);
    if (own === undefined) return;
    const next = own.waiting.shift();
    if (next) next();
    else own.running -= 1;
    if (own.running === 0) owners.delete(owner);
  }

  return {
    async begin(owner) {
      const own = owners.get(owner) ?? { running: 0, waiting: [] };
      owners.set(owner, own);
      if (own.running >= maxAtOnce) await new Promise<void>((resolve) => own.waiting.push(resolve));
      else own.running += 1;
      let hasEnded = false;
      return {
        end(pauseMs = 0) {
          if (hasEnded) return;
          hasEnded = true;
          if (pauseMs > 0) setTimeout(passOn, pauseMs, owner).unref();
          else passOn(owner);
        },
      };
    },
  };
}
