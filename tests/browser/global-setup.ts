import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Prepares what the browser tests need, once for a run and only for a run that has some of them. It
 * happens in a process of its own: Jest loads this file with a bare `require`, which knows no
 * workspace sources.
 */
// Jest asks for a default export.
export default async function prepareBrowserTests(): Promise<void> {
  const args = ['--import', 'tsx', '--conditions=@posthorn/source', join(import.meta.dirname, 'prepare.ts')];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error('The browser tests could not be prepared; the reason stands above.');
  process.env.TEST_BROWSER = said;
}
