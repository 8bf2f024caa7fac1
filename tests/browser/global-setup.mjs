import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Builds the dashboard and starts the browser once per run, if the run includes browser tests. They share it. It runs
 * in another process, because it must stop if Jest is killed.
 */
export default async function startBrowser() {
  const browser = fork(join(import.meta.dirname, 'browser-server.ts'), {
    cwd: import.meta.dirname,
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const [message] = await Promise.race([once(browser, 'message'), once(browser, 'exit')]);
  if (typeof message !== 'object') throw new Error('The browser tests could not be prepared. See the error above.');
  process.env.TEST_BROWSER = JSON.stringify(message);
  // Jest runs both hooks in the same process.
  globalThis.posthornTestBrowser = browser;
}
