import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the process was told to stop. From then on, it is not ready, and closes each connection after a response. */
export type Shutdown = {
  hasBegun(): boolean;
  /** Resolves after `delaySeconds`, so that load balancers have time to see the 503 of /readyz. */
  begin(delaySeconds: number): Promise<void>;
};

export function openShutdown(): Shutdown {
  let begun = false;
  return {
    hasBegun: () => begun,
    async begin(delaySeconds) {
      begun = true;
      await sleep(delaySeconds * 1_000);
    },
  };
}
