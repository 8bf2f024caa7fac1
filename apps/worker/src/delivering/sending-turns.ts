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
 */
export function createSendingTurns(size: number): SendingTurns {
  const waiting: Waiting[] = [];
  /** How many emails of each workspace are being sent. */
  const sending = new Map<string, number>();
  let free = size;

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
    const first = waiting.findIndex((each) => !sending.has(each.workspaceId));
    const [next] = waiting.splice(Math.max(first, 0), 1);
    next?.start();
  }

  return {
    begin: (workspaceId) =>
      new Promise((resolve) => {
        const begin = () => resolve(start(workspaceId));
        if (free > 0) begin();
        else waiting.push({ workspaceId, start: begin });
      }),
  };
}
