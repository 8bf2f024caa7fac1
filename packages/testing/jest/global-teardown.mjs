import { stopForked } from './forked-process.mjs';

/** The servers' process removes its temporary folder itself. */
export default async function stopServers() {
  await globalThis.posthornEndWorker?.();
  await stopForked(globalThis.posthornTestServers);
}
