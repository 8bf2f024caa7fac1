import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

declare global {
  // Jest runs both hooks in the same process, so a global can pass the servers from one to the other.
  var posthornTestServers: ChildProcess | undefined;
}

/** Disconnecting tells the server process to stop. That process removes its temporary folder itself. */
export default async function stopServers(): Promise<void> {
  const servers = globalThis.posthornTestServers;
  if (!servers?.connected) return;
  const exited = once(servers, 'exit');
  servers.disconnect();
  await exited;
}
