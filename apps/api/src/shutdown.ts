import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the process was told to stop. From then on, it is not ready, and closes each connection with its response. */
export type Shutdown = {
  hasBegun(): boolean;
  /** Settles after `delaySeconds`, in which load balancers see that the process is not ready any more. */
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
