import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Prepares the browser tests once per run, if the run includes any. It starts another process, because Jest loads this
 * file with a plain `require`, which cannot load the workspaces' sources.
 */
// Jest requires a default export.
export default async function prepareBrowserTests(): Promise<void> {
  const args = ['--import', 'tsx', '--conditions=@posthorn/source', join(import.meta.dirname, 'prepare.ts')];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error('The browser tests could not be prepared. See the error above.');
  process.env.TEST_BROWSER = output;
}
