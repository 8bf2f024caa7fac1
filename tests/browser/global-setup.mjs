import { join } from 'node:path';
import { startForked } from '../../packages/testing/jest/forked-process.mjs';

/** Builds the dashboard and starts the browser once per run, if the run includes browser tests. They share it. */
export default async function startBrowser() {
  const { child, message } = await startForked(join(import.meta.dirname, 'browser-server.ts'));
  process.env.TEST_BROWSER = JSON.stringify(message);
  // Jest runs both hooks in the same process.
  globalThis.posthornTestBrowser = child;
}
