import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

declare global {
  // Jest runs both hooks in one process; this is how they hand something over.
  var posthornTestServers: ChildProcess | undefined;
}

/** Letting go of the channel is the sign to stop; the process removes its temporary folder itself. */
export default async function stopServers(): Promise<void> {
  const servers = globalThis.posthornTestServers;
  if (!servers?.connected) return;
  const exited = once(servers, 'exit');
  servers.disconnect();
  await exited;
}
