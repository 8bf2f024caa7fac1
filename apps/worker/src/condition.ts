/** Something that may come true: whoever waits is told at the first `check` that finds it so. */
export type Condition = { wait(): Promise<void>; check(): void };

export function condition(isSo: () => boolean): Condition {
  let settle = () => {};
  let waiting: Promise<void> | null = null;
  return {
    wait() {
      if (isSo()) return Promise.resolve();
      waiting ??= new Promise((resolve) => {
        settle = resolve;
      });
      return waiting;
    },
    check() {
      if (waiting === null || !isSo()) return;
      waiting = null;
      settle();
    },
  };
}
