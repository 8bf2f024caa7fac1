import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { changedAt } from '../changed-at.mjs';

const ROOT = join(import.meta.dirname, '../..');
/** Everything that the build reads. */
const SOURCES = [
  import.meta.dirname,
  join(ROOT, 'packages/code-samples/src'),
  join(ROOT, 'packages/contract/src'),
  join(ROOT, 'docs/api/verify-webhook'),
  join(ROOT, 'package-lock.json'),
];
const VITE = join(ROOT, 'node_modules/vite/bin/vite.js');
const BUILT = ['dist/index.html', 'dist-inbox/inbox.html'].map((path) => join(import.meta.dirname, path));

/** Builds the dashboard and the pages of the inbox, unless the last build is newer than all sources. */
if (Math.min(...BUILT.map(changedAt)) <= Math.max(...SOURCES.map(changedAt))) {
  // With the NODE_ENV that Jest sets, Vite would build React for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  for (const mode of ['production', 'inbox'])
    execFileSync(process.execPath, [VITE, 'build', '--mode', mode, '--logLevel', 'warn'], {
      cwd: import.meta.dirname,
      env,
      stdio: 'inherit',
    });
}
