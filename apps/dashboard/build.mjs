import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Everything that the build reads. */
const SOURCES = [
  import.meta.dirname,
  join(ROOT, 'packages/code-samples/src'),
  join(ROOT, 'packages/contract/src'),
  join(ROOT, 'package-lock.json'),
];
const VITE = join(ROOT, 'node_modules/vite/bin/vite.js');
const BUILT = ['dist/index.html', 'dist-inbox/inbox.html'].map((path) => join(import.meta.dirname, path));
const IGNORED = new Set(['dist', 'dist-inbox', 'node_modules', 'test']);

/**
 * When a file or anything in a folder last changed. The folder's own modification time shows when something was
 * removed.
 */
function changedAt(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0;
  const names = readdirSync(path).filter((name) => !IGNORED.has(name));
  // Every build replaces its output, which changes the modification time of the dashboard's own folder.
  const own = path === import.meta.dirname ? 0 : stats.mtimeMs;
  return Math.max(own, ...names.map((name) => changedAt(join(path, name))));
}

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
