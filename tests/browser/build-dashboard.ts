import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../..');
const DASHBOARD = join(ROOT, 'apps/dashboard');

/** Everything that the build reads. It writes `BUILT` last. */
const SOURCES = [
  DASHBOARD,
  join(ROOT, 'packages/code-samples/src'),
  join(ROOT, 'packages/contract/src'),
  join(ROOT, 'package-lock.json'),
];
const BUILT = join(DASHBOARD, 'dist-inbox/inbox.html');
const IGNORED = new Set(['dist', 'dist-inbox', 'node_modules']);

/**
 * Builds the dashboard unless the last build is newer than all sources.
 * @throws Error with the output of the build if it fails
 */
export async function buildDashboard(log: (line: string) => void): Promise<void> {
  if (changedAt(BUILT) > Math.max(...SOURCES.map(changedAt))) return;
  log('Building the dashboard for the browser tests.');
  const build = spawn('npm', ['run', '--silent', 'build', '--workspace=@posthorn/dashboard'], {
    cwd: ROOT,
    // With the NODE_ENV that Jest sets, Vite would build React for development.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(build.stdout), text(build.stderr), once(build, 'close')]);
  if (code !== 0) throw new Error(`Building the dashboard failed:\n${output}${errors}`);
}

/**
 * When a file or anything in a folder last changed. The folder's own modification time shows when something was
 * removed.
 */
function changedAt(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0;
  const names = readdirSync(path).filter((name) => !IGNORED.has(name));
  // Every build replaces its output, which changes the modification time of the dashboard's own folder.
  const own = path === DASHBOARD ? 0 : stats.mtimeMs;
  return Math.max(own, ...names.map((name) => changedAt(join(path, name))));
}
