/** The pause between two rounds of a loop. */
export type Pause = {
  /** Settles after `ms`, or at once when `wake` is called. */
  sleep(ms: number): Promise<void>;
  wake(): void;
};

export function createPause(): Pause {
  let wake = () => {};
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake: () => wake(),
  };
}
