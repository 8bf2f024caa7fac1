import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

const { forkProgram } = await tsImport('../../packages/testing/src/programs.ts', import.meta.url);

/** Starts the browser once per run, if the run includes browser tests. They share it. */
export default async function startBrowser() {
  const program = forkProgram(join(import.meta.dirname, 'browser-server.ts'));
  process.env.TEST_BROWSER = JSON.stringify(await program.next());
  // Jest runs both hooks in the same process.
  globalThis.posthornTestBrowser = program;
}
