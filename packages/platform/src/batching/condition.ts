/** A condition to wait for. Waiting ends at the first `check` that finds the condition true. */
type Condition = { wait(): Promise<void>; check(): void };

export function createCondition(isTrue: () => boolean): Condition {
  let settle = () => {};
  let waiting: Promise<void> | null = null;
  return {
    wait() {
      if (isTrue()) return Promise.resolve();
      waiting ??= new Promise((resolve) => {
        settle = resolve;
      });
      return waiting;
    },
    check() {
      if (waiting === null || !isTrue()) return;
      waiting = null;
      settle();
    },
  };
}
