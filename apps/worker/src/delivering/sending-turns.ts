/** Limits how many emails a worker sends at a time. */
export type SendingTurns = {
  /** Waits for a turn. @returns a function that ends it */
  begin(workspaceId: string): Promise<() => void>;
};

type Waiting = { readonly workspaceId: string; readonly start: () => void };

/**
 * Emails that were claimed ahead wait here, built and signed, until one of those that are being sent ends. An email whose
 * workspace is sending nothing goes first.
 * @param size WORKER_CONCURRENCY
 * @param reserved how many of the turns are only for workspaces that are sending nothing
 */
export function createSendingTurns(size: number, reserved: number): SendingTurns {
  const waiting: Waiting[] = [];
  /** How many emails of each workspace are being sent. */
  const sending = new Map<string, number>();
  let free = size;

  const mayStart = (workspaceId: string) => free > (sending.has(workspaceId) ? reserved : 0);

  function start(workspaceId: string): () => void {
    free -= 1;
    sending.set(workspaceId, (sending.get(workspaceId) ?? 0) + 1);
    return () => end(workspaceId);
  }

  function end(workspaceId: string): void {
    free += 1;
    const left = (sending.get(workspaceId) ?? 0) - 1;
    if (left > 0) sending.set(workspaceId, left);
    else sending.delete(workspaceId);
    const idle = waiting.findIndex((each) => !sending.has(each.workspaceId));
    const next = waiting[Math.max(idle, 0)];
    if (next === undefined || !mayStart(next.workspaceId)) return;
    waiting.splice(waiting.indexOf(next), 1);
    next.start();
  }

  return {
    begin: (workspaceId) =>
      new Promise((resolve) => {
        const begin = () => resolve(start(workspaceId));
        if (mayStart(workspaceId)) begin();
        else waiting.push({ workspaceId, start: begin });
      }),
  };
}
