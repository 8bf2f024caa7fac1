import type { RunningWorker } from './worker.js';

/** Stops the worker. @returns whether the emails in hand were finished in time */
export async function stopWithin(worker: Pick<RunningWorker, 'stop'>, ms: number): Promise<boolean> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    late = setTimeout(resolve, ms, false);
  });
  const inTime = await Promise.race([worker.stop().then(() => true), tooLate]);
  clearTimeout(late);
  return inTime;
}
