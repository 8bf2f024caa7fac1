import { once } from 'node:events';

/** Disconnecting tells the process of the browser to stop. */
export default async function stopBrowser() {
  const browser = globalThis.posthornTestBrowser;
  if (!browser?.connected) return;
  const exited = once(browser, 'exit');
  browser.disconnect();
  await exited;
}
