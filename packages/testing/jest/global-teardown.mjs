import { stopForked } from './forked-process.mjs';

/** The servers' process removes its temporary folder itself. */
export default async function stopServers() {
  await globalThis.posthornEndRun?.();
  await stopForked(globalThis.posthornTestServers);
}
