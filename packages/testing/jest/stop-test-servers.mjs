/** The servers' process removes its temporary folder itself. */
export default async function stopServers() {
  await globalThis.posthornEndRun?.();
  await globalThis.posthornTestServers?.stop();
}
