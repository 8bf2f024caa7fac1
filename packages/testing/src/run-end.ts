type Close = () => Promise<void>;

const closers: Close[] = [];

/** Calls `close` after the run, but only if Jest runs without workers. A Jest worker exits without closing anything. */
export function atRunEnd(close: Close): void {
  closers.push(close);
}

export async function endRun(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
