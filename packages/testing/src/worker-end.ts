import { ignoreOpenHandles } from './open-handles.js';

type Close = () => Promise<void>;

const closers: Close[] = [];

/**
 * Calls `close` after the run if Jest runs without workers. A worker exits without closing anything. What is open now is
 * not reported as left open by the file.
 */
export function atWorkerEnd(close: Close): void {
  closers.push(close);
  ignoreOpenHandles();
}

export async function endWorker(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
