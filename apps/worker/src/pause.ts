/** A rest between two rounds of a loop. */
export type Pause = {
  /** Settles after `ms`, or at once when it is woken. */
  rest(ms: number): Promise<void>;
  wake(): void;
};

export function createPause(): Pause {
  let wake = () => {};
  return {
    rest: (ms) =>
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
