import { once } from 'node:events';

/** Disconnecting tells the server process to stop. That process removes its temporary folder itself. */
export default async function stopServers() {
  await globalThis.posthornEndWorker?.();
  const servers = globalThis.posthornTestServers;
  if (!servers?.connected) return;
  const exited = once(servers, 'exit');
  servers.disconnect();
  await exited;
}
