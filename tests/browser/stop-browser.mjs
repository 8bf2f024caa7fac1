export default async function stopBrowser() {
  await globalThis.posthornTestBrowser?.stop();
}
