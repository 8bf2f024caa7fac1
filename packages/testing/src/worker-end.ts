type Close = () => Promise<void>;

const closers: Close[] = [];

/** Calls `close` after the run if Jest runs without workers. A Jest worker exits without closing anything. */
export function atWorkerEnd(close: Close): void {
  closers.push(close);
}

export async function endWorker(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
